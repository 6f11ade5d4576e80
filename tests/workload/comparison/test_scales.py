"""The default tolerance of outputs with few elements: their scale comes from several draws of the case's values."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from warpwright.workload.arguments import make_arguments
from warpwright.workload.comparison.comparator import compare_case, compare_output
from warpwright.workload.comparison.scales import DRAWS, draw_scales
from warpwright.workload.comparison.tolerance import budget
from warpwright.workload.dtypes import element_type
from warpwright.workload.loader import load_workload
from warpwright.workload.model import ArrayParameter, Case, Role, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array, CaseArguments

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


class Draws:
    """Expected values by draw, in place of an oracle."""

    workers = 1

    def __init__(self, values: list[float]) -> None:
        self._values = iter(values)

    def make_inputs(self, case: Case, seed: int) -> dict[str, Array]:
        raise AssertionError("nothing is left to make")

    def expected(self, case: Case, arguments: CaseArguments) -> dict[str, Array]:
        return {"y": np.array([next(self._values)])}


@pytest.mark.parametrize(
    ("dtype", "beyond"), [("float32", 1e141), ("float16", 1e7), ("float64", 1e200), ("bfloat16", 1e39)]
)
def test_a_draw_beyond_what_the_dtype_holds_gives_no_scale(
    axpb: tuple[Workload, Oracle], dtype: str, beyond: float
) -> None:
    """It is an infinity there; as a scale it would let any finite value pass."""
    workload, _ = axpb
    y, *others = workload.parameters
    assert isinstance(y, ArrayParameter)
    stored = replace(workload, parameters=(replace(y, dtype=dtype), *others))
    scales = draw_scales(stored, one_element(workload), Draws([3.0, beyond, 4.0]))
    assert scales["y"] == pytest.approx(np.sqrt(12.5))


@pytest.mark.parametrize(("dtype", "beyond"), [("float32", 1e141), ("float16", 1e7), ("float64", 1e200)])
def test_an_element_beyond_the_dtype_excuses_no_other_of_its_row(
    axpb: tuple[Workload, Oracle], dtype: str, beyond: float
) -> None:
    workload, _ = axpb
    y = ArrayParameter("y", Role.OUT, dtype, ("n",), 4, None)
    want = np.linspace(1.0, 2.0, 100)
    want[7] = beyond
    with np.errstate(over="ignore"):
        right = want.astype(dtype)
    limits = budget(workload, y, {"n": 100})
    assert compare_output(y, right, want, limits).passed
    assert compare_output(y, np.where(np.arange(100) == 7, right, 0).astype(dtype), want, limits).wrong == 99


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_no_scale_of_other_draws_excuses_a_tenth_of_a_value(axpb: tuple[Workload, Oracle], dtype: str) -> None:
    workload, _ = axpb
    y = ArrayParameter("y", Role.OUT, dtype, ("n",), 4, None)
    limits = replace(budget(workload, y, {"n": 1}), least_scale=1e9)
    element = element_type(dtype).numpy
    for wrong in (0.0, 0.8, 1.2):
        assert not compare_output(y, np.array([wrong]).astype(element), np.array([1.0]), limits).passed


def test_an_own_compare_needs_no_scale(tmp_path: Path) -> None:
    directory = tmp_path / "own"
    shutil.copytree(ROOT / "benchmarks/measurement/kernels/axpb", directory)
    reference = directory / "reference.py"
    own = "\n\ndef compare(actual, expected, case):\n    return True, ''\n"
    reference.write_text(reference.read_text(encoding="utf-8") + own, encoding="utf-8")
    workload = load_workload(directory)
    with Oracle(workload) as oracle:
        assert oracle.scales(one_element(workload)) == {}
