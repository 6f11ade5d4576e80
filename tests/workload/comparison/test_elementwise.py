"""The quick way through finite blocks and any number of threads give what the plain way gives, to the bit."""

import os
import threading
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpwright.workload.comparison import elementwise
from warpwright.workload.comparison.elementwise import Sums, differences, measure
from warpwright.workload.comparison.tolerance import Budget
from warpwright.workload.dtypes import element_type

FLOATS = ["float64", "float32", "float16", "bfloat16"]
ODD = [
    nan,
    inf,
    -inf,
    0.0,
    -0.0,
    5e-324,
    1e-40,
    65504.0,
    65519.0,
    65520.0,
    3.4028235e38,
    3.4028236e38,
    1e39,
    1e200,
    1e308,
]
BUDGETS = [
    Budget(1e-3, 0.0, 1e-3, 1e-2, exact=False),
    Budget(1e-2, 1e-4, 0.0, None, exact=False),
    Budget(1e-2, 0.0, 0.0, None, exact=False),
    Budget(0.0, 0.0, 0.0, None, exact=False),
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "_CHUNK_ELEMENTS", 64)


def arrays(seed: int, dtype: str, shape: tuple[int, int], odd: int, wrong: int, near: int = 0) -> tuple[Any, Any]:
    """got and want, with some odd values in either, some elements off, and some at a limit of 1 % or right beside it."""
    rng = np.random.default_rng(seed)
    want = rng.standard_normal(shape)
    flat = want.reshape(-1)
    flat[rng.integers(0, flat.size, odd)] = rng.choice(ODD, odd)
    with np.errstate(over="ignore", invalid="ignore"):
        got = want.astype(element_type(dtype).numpy)
        got.reshape(-1)[rng.integers(0, flat.size, wrong)] = rng.choice([*ODD, 1.0, 2.0], wrong)
        at = rng.integers(0, flat.size, near)
        got.reshape(-1)[at] = flat[at] * (1 + 1e-2 * rng.choice([0.9999, 1.0, 1.0001], near))
    return got, want


@settings(max_examples=300)
@given(
    seed=st.integers(0, 1 << 32),
    dtype=st.sampled_from(FLOATS),
    shape=st.tuples(st.integers(1, 9), st.integers(1, 200)),
    odd=st.integers(0, 6),
    wrong=st.integers(0, 6),
    near=st.integers(0, 6),
    limits=st.sampled_from(BUDGETS),
)
def test_the_quick_way_equals_the_plain_one(
    seed: int, dtype: str, shape: tuple[int, int], odd: int, wrong: int, near: int, limits: Budget
) -> None:
    got, want = arrays(seed, dtype, shape, odd, wrong, near)
    quick = measure(element_type(dtype), got, want, limits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elementwise, "_measure_finite", lambda *_: None)
        patch.setattr(elementwise, "_row_squares", plain_row_squares)
        plain = measure(element_type(dtype), got, want, limits)
    assert repr(quick) == repr(plain)  # NaN in both


def plain_row_squares(block: Any, greatest: float) -> tuple[Any, Any]:
    held = np.abs(block) <= greatest
    return np.sum(np.square(np.where(held, block, 0.0)), axis=1), held.sum(axis=1)


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_results_do_not_depend_on_the_number_of_cores(dtype: str, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    got, want = arrays(3, "float32", (37, 211), 0, 40)
    if dtype == "int32":
        got, want = (np.nan_to_num(100 * array.clip(-9, 9)).astype(dtype) for array in (got, want))
    alone = results(dtype, got, want)
    monkeypatch.setattr(elementwise, "_THREADED_ELEMENTS", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    names: set[int] = set()
    blocks = elementwise._row_squares

    def watched(block: Any, greatest: float) -> tuple[Any, Any]:
        names.add(threading.get_ident())
        return blocks(block, greatest)

    monkeypatch.setattr(elementwise, "_row_squares", watched)
    assert repr(results(dtype, got, want)) == repr(alone)
    assert alone.wrong > 0
    if dtype == "float32":
        assert (threading.get_ident() in names) == (cores == 1)


def results(dtype: str, got: Any, want: Any) -> Sums:
    return differences(got, want) if dtype == "int32" else measure(element_type(dtype), got, want, BUDGETS[0])


def test_quick_blocks_do_take_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    got, want = arrays(1, "float32", (8, 64), 0, 0)

    def refused(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(elementwise, "_measure_any", refused)
    assert measure(element_type("float32"), got, want, BUDGETS[0]).wrong == 0
    want[3, 3] = nan
    with pytest.raises(AssertionError):
        measure(element_type("float32"), got, want, BUDGETS[0])
