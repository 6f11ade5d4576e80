"""The geometric mean over perf cases and the speed-up between two candidates."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.benchmark.score import CaseTime, case_speedups, geomean_us, speedup

time = st.floats(min_value=0.1, max_value=1e7)


def test_geomean_of_known_times() -> None:
    assert geomean_us([1.0, 4.0, 16.0]) == pytest.approx(4.0)


@given(st.lists(time, min_size=1, max_size=20))
def test_geomean_lies_between_the_extremes(times: list[float]) -> None:
    assert min(times) * (1 - 1e-9) <= geomean_us(times) <= max(times) * (1 + 1e-9)


@given(st.lists(st.tuples(time, time), min_size=1, max_size=8))
def test_speedup_is_the_ratio_of_geomeans_and_inverts(pairs: list[tuple[float, float]]) -> None:
    old = {f"c{i}": a for i, (a, _) in enumerate(pairs)}
    new = {f"c{i}": b for i, (_, b) in enumerate(pairs)}
    assert speedup(old, new) == pytest.approx(geomean_us(list(old.values())) / geomean_us(list(new.values())))
    assert speedup(old, new) * speedup(new, old) == pytest.approx(1.0)


@pytest.mark.parametrize("bad", [0.0, -3.0, math.nan, math.inf])
def test_no_case_can_pull_the_mean_to_nothing(bad: float) -> None:
    with pytest.raises(ValueError, match="a launch time is finite and above 0"):
        geomean_us([5.0, bad])


def test_sides_with_other_cases_are_not_compared() -> None:
    with pytest.raises(ValueError, match="cases timed on one side only: b, c; both sides need the same perf cases"):
        case_speedups({"a": 1.0, "b": 1.0}, {"a": 1.0, "c": 1.0})


@pytest.mark.parametrize(
    ("median_us", "below"),
    [(1.9, True), (2.0, False), (2.1, False), (0.0, True), (-1.0, True), (math.nan, True), (math.inf, True)],
)
def test_a_time_below_its_hard_floor_is_recognised(median_us: float, below: bool) -> None:
    assert CaseTime("rows", median_us, hard_floor_us=2.0).below_floor is below
