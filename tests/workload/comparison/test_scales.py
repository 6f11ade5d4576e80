"""The default tolerance of outputs with few elements: their scale comes from several draws of the case's values."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from warpwright.workload.arguments import make_arguments
from warpwright.workload.comparison.comparator import compare_case
from warpwright.workload.comparison.scales import DRAWS
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Case, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array

ROOT = Path(__file__).parents[3]
SEEDS = 1000
ITSELF = 26 * 2.0**-24
"""The limit of a float32 element of one term over its own size."""


@pytest.fixture(scope="module")
def axpb() -> Iterator[tuple[Workload, Oracle]]:
    workload = load_workload(ROOT / "benchmarks/measurement/kernels/axpb")
    with Oracle(workload) as oracle:
        yield workload, oracle


def one_element(workload: Workload) -> Case:
    return next(case for case in workload.cases if case.dims["n"] == 1)


def honest(inputs: dict[str, Array]) -> Array:
    """a x + b in float32, each step rounded."""
    return np.float32(2.5) * inputs["x"] + inputs["b"]


def test_cancellation_in_one_element_refuses_no_honest_kernel(axpb: tuple[Workload, Oracle]) -> None:
    workload, oracle = axpb
    case = one_element(workload)
    cancelled = 0
    for seed in range(SEEDS):
        arguments = make_arguments(workload, case, seed, oracle)
        expected = oracle.expected(case, arguments)
        y = honest({name: arguments.inputs[name] for name in ("x", "b")})
        (verdict,) = compare_case(workload, case, {"y": y}, expected, oracle)
        assert verdict.passed, verdict.message
        cancelled += abs(float(y[0]) - float(expected["y"][0])) > ITSELF * abs(float(expected["y"][0]))
    assert cancelled > 0, "no seed showed what this is about"


def test_few_elements_still_refuse_what_is_wrong(axpb: tuple[Workload, Oracle]) -> None:
    workload, oracle = axpb
    case = one_element(workload)
    for seed in range(20):
        arguments = make_arguments(workload, case, seed, oracle)
        expected = oracle.expected(case, arguments)
        for wrong in (np.zeros(1), expected["y"] * (1 + 1e-4), expected["y"].astype(np.float16)):
            (verdict,) = compare_case(workload, case, {"y": wrong.astype(np.float32)}, expected, oracle)
            assert not verdict.passed


def test_only_small_outputs_with_a_default_limit_get_a_scale(axpb: tuple[Workload, Oracle]) -> None:
    workload, oracle = axpb
    case = one_element(workload)
    drawn = [make_arguments(workload, case, case.seed + 1 + step, oracle) for step in range(DRAWS)]
    values = np.concatenate([oracle.expected(case, arguments)["y"] for arguments in drawn])
    assert oracle.scales(case)["y"] == pytest.approx(float(np.sqrt(np.mean(values**2))))
    assert oracle.scales(replace(case, dims={"n": 63})).keys() == {"y"}
    assert oracle.scales(replace(case, dims={"n": 64})) == {}


def test_an_explicit_absolute_limit_needs_no_scale() -> None:
    workload = load_workload(ROOT / "examples/transpose")
    with Oracle(workload) as oracle:
        assert oracle.scales(replace(workload.cases[0], dims={"rows": 1, "cols": 1})) == {}
