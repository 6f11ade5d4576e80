"""The comparator's truth tables (`verification.md` V10 to V14)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, nan
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.workload.comparison import elementwise
from warpwright.workload.comparison.comparator import compare_case, compare_output
from warpwright.workload.comparison.tolerance import EXACT, Budget, budget, reduction_length
from warpwright.workload.dtypes import element_type
from warpwright.workload.loader import load_workload
from warpwright.workload.model import ArrayParameter, Case, Role, Workload
from warpwright.workload.oracle import CustomVerdict
from warpwright.workload.values import Array, Comparison, Mismatch

LOOSE = Budget(rtol=1e-2, atol=1e-3, scale_ratio=0.0, rms_ratio=None, exact=False)


def compare(dtype: str, got: object, want: object, limits: Budget = LOOSE) -> Comparison:
    stored = np.asarray(got, dtype=np.float64).astype(element_type(dtype).numpy)
    expected = np.asarray(want, dtype=np.float64 if element_type(dtype).is_float else element_type(dtype).numpy)
    shape = tuple(str(size) for size in expected.shape)
    return compare_output(ArrayParameter("y", Role.OUT, dtype, shape, 4, None), stored, expected, limits)


@pytest.mark.parametrize(
    ("got", "want", "passed"),
    [
        ([1.0], [1.0], True),
        ([1.009], [1.0], True),
        ([1.02], [1.0], False),
        ([0.0009], [0.0], True),
        ([0.0011], [0.0], False),
        ([nan], [nan], True),
        ([nan], [1.0], False),
        ([1.0], [nan], False),
        ([inf], [inf], True),
        ([-inf], [inf], False),
        ([1.0], [inf], False),
        ([inf], [1.0], False),
        ([nan], [inf], False),
        ([3e38], [inf], False),
        ([-0.0], [0.0], True),
        ([inf], [1e39], True),
        ([3.4e38], [1e39], False),
        ([1.0, 5.0], [1.0, 1.0], False),
    ],
)
def test_float32_truth_table(got: list[float], want: list[float], passed: bool) -> None:
    assert compare("float32", got, want).passed is passed


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64", "bool"])
def test_integers_are_exact(dtype: str) -> None:
    assert compare(dtype, [1, 0, 1], [1, 0, 1], EXACT).passed
    assert not compare(dtype, [1, 0, 1], [1, 1, 1], EXACT).passed


def test_large_integers_are_not_compared_as_floats() -> None:
    parameter = ArrayParameter("y", Role.OUT, "int64", ("1",), 8, None)
    wanted = np.array([2**60 + 1], dtype=np.int64)
    assert not compare_output(parameter, wanted - 1, wanted, EXACT).passed


def test_zeros_fail_under_the_default_absolute_tolerance() -> None:
    row = np.full((2, 131072), 1 / 131072)
    limits = Budget(rtol=1e-5, atol=0.0, scale_ratio=1e-5, rms_ratio=1e-4, exact=False)
    assert compare("float32", row, row, limits).passed
    assert not compare("float32", np.zeros_like(row), row, limits).passed
    assert compare(
        "float32", np.zeros_like(row), row, replace(limits, atol=1e-3)
    ).passed  # the hole that the lint finds


def test_the_scale_is_that_of_the_row() -> None:
    want = np.array([[1e6] * 64, [1e-6] * 64])
    limits = Budget(rtol=0.0, atol=0.0, scale_ratio=1e-3, rms_ratio=None, exact=False)
    assert compare("float32", want * (1 + 5e-4), want, limits).passed
    assert compare("float32", want + np.array([[0], [1e-7]]), want, limits).wrong == 64


@pytest.mark.parametrize(("count", "passed"), [(1, True), (63, True), (64, False)])
def test_a_few_elements_show_no_systematic_loss(count: int, passed: bool) -> None:
    """Honest cancellation: 2 * v + 1 at v near -0.5 is off by some roundoffs of its terms, of one element or of few."""
    want = np.full(count, 0.01)
    limits = Budget(rtol=2e-6, atol=0.0, scale_ratio=0.0, rms_ratio=5e-7, exact=False)
    assert compare("float32", want * (1 + 1e-6), want, limits).passed is passed


def test_the_rms_gate_sees_a_systematic_loss() -> None:
    generator = np.random.default_rng(1)
    want = generator.standard_normal(10000)
    limits = Budget(rtol=2e-3, atol=0.0, scale_ratio=0.0, rms_ratio=1e-4, exact=False)
    found = compare("float32", want * 1.001, want, limits)
    assert found.wrong == 0
    assert found.margin < 1
    assert found.rms_margin == pytest.approx(10, rel=0.01)
    assert not found.passed
    assert found.message == (
        "y: every element is within its limit, but the relative RMS error of the whole is 10 times the allowed 0.0001: "
        "a systematic loss of precision"
    )


def test_the_first_mismatches_are_told() -> None:
    want = np.zeros((3, 4))
    got = want.copy()
    got[1, 2:] = [1.5, nan]
    found = compare("float32", got, want)
    assert (found.reason, found.wrong, found.total) == ("nonfinite", 2, 12)
    assert found.first[0] == Mismatch((1, 2), 1.5, 0.0)
    assert found.first[1].index == (1, 3)
    assert found.message == "y: 2 of 12 elements are wrong; first y[1, 2]: got 1.5, want 0"
    assert compare("float32", [1.5], [1.0]).message == (
        "y: 1 of 1 elements are wrong, worst 45.5 times its limit; first y[0]: got 1.5, want 1"
    )


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 10**6), st.sampled_from([1, 7, 64]))
def test_chunks_change_nothing(rows: int, columns: int, seed: int, size: int) -> None:
    generator = np.random.default_rng(seed)
    want = generator.standard_normal((rows, columns))
    got = want + generator.choice([0.0, 1.0], want.shape, p=[0.9, 0.1])
    limits = Budget(rtol=1e-6, atol=0.0, scale_ratio=1e-6, rms_ratio=1e-6, exact=False)
    whole = compare("float32", got, want, limits)
    before = elementwise._CHUNK_ELEMENTS
    elementwise._CHUNK_ELEMENTS = size
    try:
        pieces = compare("float32", got, want, limits)
    finally:
        elementwise._CHUNK_ELEMENTS = before
    assert (pieces.wrong, pieces.first) == (whole.wrong, whole.first)
    assert pieces.margin == pytest.approx(whole.margin)
    assert pieces.rms_margin == pytest.approx(whole.rms_margin)
    assert whole.wrong == int((np.abs(got.astype(np.float32) - want) > 0.5).sum())


@dataclass(frozen=True)
class FakeOracle:
    """A `compare` that must not be asked; compares: whether there is one."""

    compares: bool

    def compare(self, case: Case, actual: Mapping[str, Array], expected: Mapping[str, Array]) -> CustomVerdict:
        raise AssertionError("nothing is left to compare")

    def scales(self, case: Case) -> Mapping[str, float]:
        raise AssertionError("nothing is left to compare")


def reduction() -> Workload:
    return load_workload(Path(__file__).parents[3] / "examples" / "reduce_sum")


def test_shape_and_dtype_come_first_even_with_an_own_compare() -> None:
    workload = reduction()
    case = workload.cases[0]
    expected = {"out": np.array([1.0])}
    for compares in (True, False):
        oracle = FakeOracle(compares)
        (shape,) = compare_case(workload, case, {"out": np.ones((2,), np.float32)}, expected, oracle)
        (dtype,) = compare_case(workload, case, {"out": np.ones((1,), np.float64)}, expected, oracle)
        assert (shape.reason, shape.message) == ("shape", "out: shape (2,); expected (1,)")
        assert (dtype.reason, dtype.message) == ("dtype", "out: dtype float64; expected float32")


@pytest.mark.parametrize(
    ("dtype", "narrower"),
    [
        ("float64", np.float32),
        ("float32", np.float16),
        ("float16", ml_dtypes.bfloat16),
        ("bfloat16", ml_dtypes.float8_e4m3fn),
    ],
)
def test_a_budget_takes_its_own_rounding_and_refuses_the_next_lower_precision(dtype: str, narrower: type) -> None:
    workload = reduction()
    parameter = replace(workload.outputs[0], dtype=dtype, shape=("n",))
    limits = budget(workload, parameter, {"n": 1})
    want = np.random.default_rng(1).standard_normal(1000)
    rounded = compare(dtype, want, want, limits)
    assert rounded.passed
    assert max(rounded.margin, rounded.rms_margin) < 0.6
    assert not compare(dtype, want.astype(narrower).astype(np.float64), want, limits).passed


@pytest.mark.parametrize("length", [1, 7, 100, 4096])
def test_an_honest_sequential_sum_stays_below_half_of_the_budget(length: int) -> None:
    workload = load_workload(Path(__file__).parents[3] / "examples" / "matmul")
    generator = np.random.default_rng(length)
    terms = generator.standard_normal((4096, length)).astype(np.float32)
    terms *= generator.standard_normal((4096, length)).astype(np.float32)
    got = np.cumsum(terms, axis=1, dtype=np.float32)[:, -1].reshape(64, 64)
    want = terms.astype(np.float64).sum(axis=1).reshape(64, 64)
    limits = budget(workload, workload.outputs[0], {"m": 64, "n": 64, "k": length})
    found = compare_output(workload.outputs[0], got, want, limits)
    assert max(found.margin, found.rms_margin) < 0.5


@pytest.mark.parametrize(
    ("example", "dims", "length"),
    [
        ("matmul", {"m": 5, "n": 6, "k": 700}, 700),
        ("reduce_sum", {"n": 1000}, 1000),
        ("rmsnorm", {"rows": 3, "cols": 5000}, 5000),
        ("softmax", {"rows": 3, "cols": 50}, 50),
        ("softmax", {"rows": 3, "cols": 50000}, 4096),
    ],
)
def test_the_reduction_length_follows_from_the_shapes(example: str, dims: dict[str, int], length: int) -> None:
    workload = load_workload(Path(__file__).parents[3] / "examples" / example)
    assert reduction_length(workload, workload.outputs[0], dims) == length


def test_short_rows_share_their_scale() -> None:
    rng = np.random.default_rng(5)
    want = rng.standard_normal((1000, 2)) * 16.0
    want[7] = (1e-4, -2e-4)  # both elements of a row small by cancellation
    got = want.astype(np.float32)
    got[7] += np.float32(2e-6)  # far beyond this row, nothing beside what its neighbours are sums of
    y = ArrayParameter("y", Role.OUT, "float32", ("m", "n"), 4, None)
    limits = Budget(rtol=1e-6, atol=0.0, scale_ratio=1e-6, rms_ratio=None, exact=False)
    assert compare_output(y, got, want, limits).passed
    got[7] += np.float32(1e-3)
    assert not compare_output(y, got, want, limits).passed
