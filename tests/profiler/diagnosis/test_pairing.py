"""A hypothesis is judged on the launch that it was about, by counters that were taken alike."""

import pytest

from profiler.diagnosis.profiles import launch, plan_of, profile_of
from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.compare import changes, not_compared
from warpwright.profiler.diagnosis.expectation import check_expectations
from warpwright.profiler.diagnosis.finding import Verdict
from warpwright.profiler.diagnosis.pairing import Pair, Unpaired, paired
from warpwright.profiler.profile import UNNAMED_LAUNCH, Cache, CaseProfile, Counter, LaunchCounters, Source

MEASURED = (Source.NCU, Quality.MEASURED)
BOUND = (Source.MODEL, Quality.ESTIMATED)
PLANNED = (Source.MODEL, Quality.EXACT)
EMULATED = (Source.EMULATOR, Quality.EXACT)
GATHER, TOTAL = launch("gather", 0, duration_ns=9e4, global_excess_ratio=0.8), launch("total", 1, duration_ns=4e4)


def test_launches_that_a_record_does_not_name_are_no_pair() -> None:
    before = plan_of(launch(UNNAMED_LAUNCH, 0, duration_ns=9e4), launch("total", 1, duration_ns=4e4))
    after = plan_of(launch(UNNAMED_LAUNCH, 0, duration_ns=5e4), launch("total", 1, duration_ns=4e4))
    assert isinstance(paired(before, after), Unpaired)


def taken(value: float, how: tuple[Source, Quality]) -> CaseProfile:
    counters = {"grid_blocks": Counter(value, *how)}
    return CaseProfile("case", "subject", how[0].value, Cache.COLD, (LaunchCounters(0, "kernel", counters),))


@pytest.mark.parametrize(
    ("before", "after", "seen", "reason"),
    [
        (MEASURED, MEASURED, 2.0, None),
        (MEASURED, PLANNED, 2.0, None),
        (BOUND, BOUND, 2.0, None),
        (MEASURED, BOUND, None, "measured (ncu) before, estimated (model) now"),
        (EMULATED, MEASURED, None, "exact (emulator) before, measured (ncu) now"),
    ],
)
def test_a_counter_is_compared_only_where_both_sides_counted_alike(
    before: tuple[Source, Quality], after: tuple[Source, Quality], seen: float | None, reason: str | None
) -> None:
    sides = taken(100.0, before), taken(200.0, after)
    (check,), verdict = check_expectations({"grid_blocks": 0.5}, *sides)
    assert (check.seen, check.reason) == (seen, reason)
    assert verdict is (Verdict.UNKNOWN if seen is None else Verdict.REFUTED)
    assert bool(changes(*sides)) is (seen is not None)
    assert (not_compared(*sides) is None) is (seen is not None)


def test_the_launch_that_was_the_longest_is_followed_when_another_has_become_it() -> None:
    cured = launch("gather", 0, duration_ns=2.5e4, global_excess_ratio=0.02)
    longest_now = launch("total", 1, duration_ns=4e4, global_excess_ratio=0.75)
    (check,), verdict = check_expectations(
        {"global_excess_ratio": 0.05}, plan_of(GATHER, TOTAL), plan_of(cured, longest_now)
    )
    assert check.seen == pytest.approx(0.025)
    assert verdict is Verdict.BORNE_OUT
    assert {change.counter for change in changes(plan_of(GATHER, TOTAL), plan_of(cured, longest_now))} == {
        "duration_ns",
        "global_excess_ratio",
    }


def test_an_entry_that_moved_in_the_plan_is_found_by_its_name() -> None:
    moved = launch("gather", 1, duration_ns=1e4)
    found = paired(plan_of(GATHER, TOTAL), plan_of(launch("clear", 0), moved, launch("total", 2)))
    assert found == Pair(GATHER, moved)


def test_of_several_launches_of_one_entry_the_position_decides() -> None:
    first, second = launch("pass", 0, duration_ns=1.0), launch("pass", 1, duration_ns=2.0)
    assert paired(plan_of(first, second), plan_of(first, second)) == Pair(second, second)
    assert isinstance(paired(plan_of(first, second), plan_of(first)), Unpaired)


def test_without_the_launch_nothing_is_judged_and_the_reason_is_given() -> None:
    fused = plan_of(launch("both", 0, global_excess_ratio=0.1))
    (check,), verdict = check_expectations({"global_excess_ratio": 0.1}, plan_of(GATHER, TOTAL), fused)
    assert verdict is Verdict.UNKNOWN
    assert check.reason == (
        "the longest launch before was gather, launch 1 of 2; of 1 now, with counters of both, none is known to be the same"
    )
    assert changes(plan_of(GATHER, TOTAL), fused) == ()
    assert not_compared(plan_of(GATHER, TOTAL), fused) == check.reason


def test_the_emulators_one_counted_launch_is_paired_with_itself_only() -> None:
    """Of a plan of several it gives the counters of the longest alone."""
    before = plan_of(launch("pass", 0), planned=2)
    assert isinstance(paired(before, plan_of(launch("pass", 0), planned=2)), Pair)
    assert isinstance(paired(before, plan_of(launch("pass", 1), planned=2)), Unpaired)
    assert isinstance(paired(before, plan_of(launch("other", 1), planned=2)), Unpaired)


def test_the_only_launch_may_be_renamed() -> None:
    assert isinstance(paired(plan_of(launch("old", 0)), plan_of(launch("new", 0))), Pair)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ({}, {"grid_blocks": 1}, "unknown before"),
        ({"grid_blocks": 1}, {}, "unknown now"),
        ({"grid_blocks": 0}, {"grid_blocks": 1}, "0 before, so it has no ratio"),
    ],
)
def test_what_cannot_be_judged_says_why(before: dict[str, float], after: dict[str, float], reason: str) -> None:
    (check,), _ = check_expectations({"grid_blocks": 2.0}, profile_of(before), profile_of(after))
    assert (check.seen, check.verdict, check.reason) == (None, Verdict.UNKNOWN, reason)
