"""`__restrict__` on arrays that may alias."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from warpwright.candidate.candidate import Candidate
from warpwright.evaluation.building.policy import check_policy
from warpwright.workload.model import ArrayParameter, Workload


@pytest.fixture
def aliasing(axpb: Workload) -> Workload:
    """The same workload, whose y may be x."""
    parameters = tuple(
        replace(p, alias="x") if isinstance(p, ArrayParameter) and p.name == "y" else p for p in axpb.parameters
    )
    return replace(axpb, parameters=parameters)


@pytest.mark.parametrize(
    ("signature", "accused"),
    [
        ("float* y, const float* x, const float* __restrict__ b, float a, int n", None),
        ("float* __restrict__ y, const float* x, const float* b, float a, int n", "y"),
        ("float* out, const float* __restrict__ in, const float* b, float a, int n", "in"),
    ],
    ids=["on another array", "on the output", "on the other one, renamed"],
)
def test_restrict_is_refused_on_declared_aliases(
    aliasing: Workload, kernel: Callable[..., Candidate], signature: str, accused: str | None
) -> None:
    source = f'extern "C" __global__ void axpb({signature}) {{}}\n'
    failure = check_policy(aliasing, replace(kernel(), source=source))
    if accused is None:
        assert failure is None
    else:
        assert failure is not None
        assert failure.label == "invalid_plan.policy"
        assert failure.message == (
            f"kernel.cu: parameter {accused} of axpb is __restrict__, but the workload lets y alias x. "
            "Remove __restrict__ there."
        )


def test_restrict_is_free_where_nothing_aliases(axpb: Workload, kernel: Callable[..., Candidate]) -> None:
    candidate = kernel()
    source = candidate.source.replace("float* y", "float* __restrict__ y")
    assert check_policy(axpb, replace(candidate, source=source)) is None
