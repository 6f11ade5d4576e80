import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiler.diagnosis.profiles import profile_of
from warpwright.profiler.counters import metrics
from warpwright.profiler.diagnosis.compare import changes
from warpwright.profiler.diagnosis.expectation import check_expectations, judge
from warpwright.profiler.diagnosis.finding import Verdict

COUNTERS = st.dictionaries(st.sampled_from(sorted(metrics())), st.floats(0, 1e9), max_size=12)


def test_changes_are_counters_that_both_know_the_largest_first() -> None:
    before = profile_of({"dram_read_bytes": 100, "instructions": 100, "grid_blocks": 8, "l1_hit_ratio": 0.5})
    after = profile_of({"dram_read_bytes": 50, "instructions": 900, "grid_blocks": 8, "l2_hit_ratio": 0.9})
    found = changes(before, after)
    assert [(c.counter, c.before, c.after) for c in found] == [("instructions", 100, 900), ("dram_read_bytes", 100, 50)]
    assert found[1].ratio == 0.5


@pytest.mark.parametrize(
    ("name", "before", "after", "counts"),
    [
        ("instructions", 100, 102, False),
        ("instructions", 100, 103, True),
        ("pipe_xu_ratio", 0.001, 0.004, False),
        ("pipe_xu_ratio", 0.1, 0.2, True),
        ("shared_bank_conflicts", 0, 50, True),
        ("shared_bank_conflicts", 0, 0, False),
    ],
)
def test_noise_is_no_change(name: str, before: float, after: float, counts: bool) -> None:
    assert bool(changes(profile_of({name: before}), profile_of({name: after}))) is counts


@given(COUNTERS, COUNTERS)
def test_nothing_changes_between_equals_and_order_of_sides_only_swaps_values(
    first: dict[str, float], second: dict[str, float]
) -> None:
    assert changes(profile_of(first), profile_of(first)) == ()
    found = changes(profile_of(first), profile_of(second))
    assert {change.counter for change in found} <= set(first) & set(second)
    assert all(change.before == first[change.counter] and change.after == second[change.counter] for change in found)


@pytest.mark.parametrize(
    ("expected", "seen", "verdict"),
    [
        (0.25, 0.25, Verdict.BORNE_OUT),
        (0.25, 0.5, Verdict.BORNE_OUT),
        (0.25, 0.7, Verdict.UNKNOWN),
        (0.25, 0.99, Verdict.REFUTED),
        (0.25, 1.5, Verdict.REFUTED),
        (4.0, 2.0, Verdict.BORNE_OUT),
        (4.0, 0.5, Verdict.REFUTED),
        (0.0, 0.0, Verdict.BORNE_OUT),
        (0.0, 0.05, Verdict.BORNE_OUT),
        (0.0, 0.5, Verdict.UNKNOWN),
        (1.0, 1.0, Verdict.BORNE_OUT),
        (1.0, 1.5, Verdict.REFUTED),
        (0.5, None, Verdict.UNKNOWN),
    ],
)
def test_half_of_the_way_on_a_log_scale_bears_an_expectation_out(
    expected: float, seen: float | None, verdict: Verdict
) -> None:
    assert judge(expected, seen) is verdict


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_a_further_move_the_expected_way_is_never_worse(expected: float, seen: float) -> None:
    order = [Verdict.REFUTED, Verdict.UNKNOWN, Verdict.BORNE_OUT]
    if 0.9 < expected < 1.1:
        return
    further = seen * 1.5 if expected > 1 else seen / 1.5
    assert order.index(judge(expected, further)) >= order.index(judge(expected, seen))


def test_one_refuted_counter_refutes_the_hypothesis_and_unknown_ones_do_not_count() -> None:
    before = profile_of({"dram_read_bytes": 100, "instructions": 100})
    after = profile_of({"dram_read_bytes": 50, "instructions": 100})
    checks, verdict = check_expectations({"dram_read_bytes": 0.5, "l1_hit_ratio": 2.0}, before, after)
    assert verdict is Verdict.BORNE_OUT
    assert [(check.counter, check.seen) for check in checks] == [("dram_read_bytes", 0.5), ("l1_hit_ratio", None)]
    assert check_expectations({"dram_read_bytes": 0.5, "instructions": 0.5}, before, after)[1] is Verdict.REFUTED
    assert check_expectations({"l1_hit_ratio": 0.5}, before, after)[1] is Verdict.UNKNOWN
    assert check_expectations({}, before, after) == ((), Verdict.UNKNOWN)
