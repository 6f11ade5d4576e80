"""Medians, intervals and percentiles of launch times."""

import math
from statistics import median as plain_median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.benchmark.statistics import interval_ranks, median, median_interval, percentile, spread

times = st.lists(st.floats(min_value=1e-3, max_value=1e9), min_size=1, max_size=200)


@given(times)
def test_median_is_the_middle(samples: list[float]) -> None:
    assert median(samples) == pytest.approx(plain_median(samples))


@given(times, st.floats(0, 100), st.floats(0, 100))
def test_percentiles_lie_inside_and_in_order(samples: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    slack = 1 + 1e-12
    assert min(samples) <= percentile(samples, low) * slack
    assert percentile(samples, low) <= percentile(samples, high) * slack
    assert percentile(samples, high) <= max(samples) * slack


def test_ranks_of_100_samples_are_40_and_61() -> None:
    assert interval_ranks(100) == (40, 61)


@pytest.mark.parametrize("count", range(1, 6))
def test_five_samples_or_fewer_have_no_95_percent_interval(count: int) -> None:
    assert interval_ranks(count) is None
    assert median_interval([1.0] * count) is None


@given(st.integers(6, 300))
def test_ranks_cover_95_percent_and_could_not_be_narrower(count: int) -> None:
    def coverage(rank: int) -> float:
        return 1.0 - 2.0 * float(sum(math.comb(count, k) for k in range(rank))) / float(2**count)

    ranks = interval_ranks(count)
    assert ranks is not None
    low, high = ranks
    assert high == count + 1 - low
    assert coverage(low) >= 0.95
    assert low == count // 2 or coverage(low + 1) < 0.95


def test_interval_holds_the_true_median_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    held = 0
    for _ in range(2000):
        interval = median_interval(list(random.lognormal(0.0, 1.0, 100)))
        assert interval is not None
        held += interval[0] <= 1.0 <= interval[1]
    assert 0.945 < held / 2000 < 0.985  # exact coverage 0.965


@given(times)
def test_spread_is_ordered(samples: list[float]) -> None:
    found = spread(samples)
    ordered = [found.min_us, found.p5_us, found.q1_us, found.median_us, found.q3_us, found.p95_us, found.max_us]
    assert ordered == sorted(ordered)
    assert found.count == len(samples)


UNUSABLE = {"zero": 0.0, "negative": -1.0, "nan": math.nan, "infinite": math.inf}


@pytest.mark.parametrize("value", UNUSABLE.values(), ids=UNUSABLE)
def test_what_is_no_time_never_enters_a_statistic(value: float) -> None:
    with pytest.raises(ValueError, match=f"sample 1 of 2 is {value} us; a launch time is finite and above 0"):
        spread([1.0, value])


def test_no_samples_is_an_error() -> None:
    with pytest.raises(ValueError, match="no samples: a time needs at least one launch"):
        median([])
