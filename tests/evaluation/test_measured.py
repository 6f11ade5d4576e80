"""Evaluations on a device that measures: what is timed, what is compared, what is refused."""

from dataclasses import replace

import pytest

from evaluation.conftest import Evaluating, Points
from evaluation.simulated_gpu import EMPTY_US, Behaviour, by_block_size
from warpwright.device.measurement import Measurement, Phase
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Fault, Faulted, FaultKind, TimeSource
from warpwright.errors import InfrastructureError
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.evaluation.promotion.comparison import NoFigure
from warpwright.workload.model import Workload

FAST_64 = by_block_size({32: 20.0, 64: 16.0, 128: 24.0})


def measured(evaluation: Evaluation) -> Measurement:
    timing = evaluation.cases[-1].timing
    assert timing is not None
    assert timing.measurement is not None
    return timing.measurement


def test_a_candidate_is_timed_by_10_and_100_launches(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour())
    assert isinstance(gpu, MeasuringDevice)
    found = evaluator.evaluate(point(32))
    assert found.label == "passed", found.message
    timing, record = found.cases[-1].timing, measured(found)
    assert timing is not None
    assert timing.source is TimeSource.MEASURED
    assert len(timing.samples_us) == 100
    assert timing.median_us == pytest.approx(20.0, rel=0.01)
    assert 0 < timing.uncertainty_ratio < 0.005
    assert [(block.phase, len(block.samples_us)) for block in record.blocks] == [
        (Phase.WARM_UP, 10),
        *[(Phase.MEASURED, 10)] * 10,
    ]
    assert record.empty is not None
    assert record.empty.median_us == pytest.approx(EMPTY_US, rel=0.01)
    assert 6 <= len(record.checked) <= 7
    assert (record.checked[-1].block, record.checked[-1].launch) == (10, 9)
    assert record.flags == ()
    assert record.unavailable == {"power": "simulated"}
    assert found.message.endswith("(measured on NVIDIA H200)")


def test_no_two_launches_of_a_process_share_their_values(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour())
    evaluator.evaluate(point(32))
    request = gpu.requests[0]
    keys = [launch.values["x"] for block in request.blocks for launch in block.launches]
    assert len(keys) == len(set(keys)) == 110


def test_verification_and_timing_each_have_a_fresh_process(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour())
    evaluator.evaluate(point(32))
    assert gpu.renewals == 2


def test_all_cases_of_a_benchmark_share_a_process_and_no_value_comes_twice(
    tiny: Workload, evaluating: Evaluating, point: Points
) -> None:
    small = tiny.case("small")
    second = replace(small, name="large", dims={"n": 4096}, seed=small.seed + 1)
    evaluator, gpu = evaluating(Behaviour(), replace(tiny, cases=(*tiny.cases, second)))
    found = evaluator.evaluate(point(32))
    assert found.label == "passed", found.message
    assert [case.timing is not None for case in found.cases] == [False, False, True, True]
    assert (gpu.renewals, gpu.rests) == (2, 1)
    requests = [request for request in gpu.requests if request.contestants[0].program is not None]
    keys = [launch.values["x"] for r in requests for block in r.blocks for launch in block.launches]
    assert len(keys) == len(set(keys)) == 220


def test_a_time_below_a_floor_is_taken_again_in_a_fresh_process(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=lambda _: 0.2))
    evaluator.evaluate(point(32))
    assert gpu.renewals == 3


def test_the_time_limit_comes_from_what_is_known(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour())
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    evaluator.evaluate(point(64), against=initial)
    own = [r.time_limit_s for r in gpu.requests if len(r.contestants) == 1 and r.contestants[0].program is not None]
    assert 20.0 < own[0] < 20.3, "nothing is known of the first kernel on this simulated GPU"
    assert 2.0 < own[1] < 3.0


def test_verification_on_a_gpu_tells_whether_results_repeat(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour())
    assert [case.deterministic for case in evaluator.evaluate(point(32)).cases] == [True] * 3


def test_a_kernel_that_replays_its_first_answer_is_rejected(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(replays=True))
    found = evaluator.evaluate(point(32))
    assert found.label == "rejected.timed_mismatch"
    assert "The same binary passed verification" in found.message


@pytest.mark.parametrize("us", [0.2, EMPTY_US * 0.9])
def test_less_than_an_empty_launch_is_no_time(evaluating: Evaluating, point: Points, us: float) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=lambda _: us))
    found = evaluator.evaluate(point(32))
    assert found.label == "rejected.below_hard_floor"
    assert "less than an empty launch with the same attributes" in found.message
    assert len(gpu.requests) == 4, "the time and the empty launch are taken again before anybody is accused"


@pytest.mark.parametrize("us", [0.0, -1.0, float("nan")])
def test_what_is_no_time_is_refused(evaluating: Evaluating, point: Points, us: float) -> None:
    evaluator, _ = evaluating(Behaviour(first_sample_us=us))
    found = evaluator.evaluate(point(32))
    assert found.label == "rejected.below_hard_floor"
    assert "which is no time" in found.message


def test_a_throttled_block_is_taken_again_and_both_are_kept(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(throttled=lambda block: block == 5))
    record = measured(evaluator.evaluate(point(32)))
    replaced = [block for block in record.blocks if block.phase is Phase.REPLACED]
    again = [block for block in record.blocks if block.phase is Phase.MEASURED and block.round == 3]
    assert [block.round for block in replaced] == [3]
    assert len(again) == 1
    assert not record.degraded
    assert sum(len(block.samples_us) for block in record.blocks if block.phase is Phase.MEASURED) == 100


def test_a_block_that_lost_its_blocker_is_taken_again_without_one(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(gives_up=5))
    record = measured(evaluator.evaluate(point(32)))
    assert [block.round for block in record.blocks if block.phase is Phase.REPLACED] == [3]
    assert [r.blocker for r in gpu.requests if r.contestants[0].program is not None] == [True, False]
    assert "unblocked" in record.flags
    assert not record.degraded


def test_a_drop_of_the_clock_is_a_taint(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(slow_clock=lambda block: block in (4, 5)))
    found = evaluator.evaluate(point(32))
    assert [b.round for b in measured(found).blocks if b.phase is Phase.REPLACED] == [2, 3]
    assert max(found.cases[-1].timing.samples_us) < 25  # type: ignore[union-attr]


def test_what_stays_throttled_is_degraded_and_says_so(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(throttled=lambda _: True))
    found = evaluator.evaluate(point(32))
    assert len([r for r in gpu.requests if r.contestants[0].program is not None]) == 3
    assert measured(found).degraded
    assert found.outcome is Outcome.PASSED
    assert found.message.endswith("(measured on NVIDIA H200, degraded)")


def test_a_case_without_one_measured_launch_is_a_timeout(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(limit_blocks=1))
    assert evaluator.evaluate(point(32)).label == "timeout.timing"


def test_a_fault_under_the_clock_is_the_candidates(evaluating: Evaluating, point: Points) -> None:
    fault = Faulted(Fault(FaultKind.ILLEGAL_ADDRESS, "an illegal address", entry="scale"))
    evaluator, _ = evaluating(Behaviour(fault=fault))
    found = evaluator.evaluate(point(32))
    assert found.label == "crash.illegal_address"


def test_a_faster_kernel_is_promoted_by_a_paired_run(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(unit_us=FAST_64, drift=1e-5))
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.IMPROVED, found.message
    assert found.paired is not None
    assert found.paired.low < 1.25 < found.paired.high
    assert found.speedup == found.paired.speedup
    assert found.paired.rounds == 10
    case = found.paired.cases[0]
    assert sorted(case.order) == ["AB"] * 5 + ["BA"] * 5
    assert len(case.effects) == 10
    assert found.paired.floor_ratio is not None
    assert 0 < found.paired.floor_ratio < 0.01


def test_an_estimate_is_no_record_to_be_compared_with(evaluating: Evaluating, point: Points) -> None:
    """Of a session that began on the emulator: the gain is not believed, and only a paired run decides."""
    evaluator, gpu = evaluating(Behaviour(unit_us=FAST_64))
    evaluation = evaluator.evaluate(point(32))
    estimated = [
        replace(c, timing=c.timing and replace(c.timing, source=TimeSource.ESTIMATED, measurement=None, median_us=2e4))
        for c in evaluation.cases
    ]
    before = Baseline(point(32), replace(evaluation, cases=tuple(estimated)))
    runs = gpu.runs
    found = evaluator.evaluate(point(64), against=before)
    assert gpu.runs - runs == runs, "no further seeds: estimates make no measured gain beyond belief"
    assert found.outcome is Outcome.IMPROVED
    assert found.speedup == pytest.approx(1.25, rel=0.01)
    evaluator, _ = evaluating(Behaviour(unit_us=FAST_64, unfinished=lambda request: len(request.contestants) == 2))
    tied = evaluator.evaluate(point(64), against=before)
    assert (tied.outcome, tied.speedup) == (Outcome.TIE, None)


def test_a_slower_record_is_not_measured_again(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=FAST_64))
    initial = Baseline(point(64), evaluator.evaluate(point(64)))
    slower = evaluator.evaluate(point(32), against=initial)
    copied = evaluator.evaluate(point(64), against=initial)
    assert all(len(request.contestants) == 1 for request in gpu.requests)
    assert (slower.outcome, slower.paired) == (Outcome.SLOWER, None)
    assert copied.outcome is Outcome.TIE


def test_a_lucky_record_does_not_survive_the_pair(evaluating: Evaluating, point: Points) -> None:
    """The contender's own record shows 25 %, side by side there is nothing."""
    times = by_block_size({32: 20.0, 64: 16.0})
    behaviour = Behaviour(unit_us=times)
    evaluator, _ = evaluating(behaviour)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    lucky = iter([16.0] * 11)
    behaviour.unit_us = lambda contestant: next(lucky, 20.0)
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.TIE
    assert found.paired is not None
    assert found.speedup == pytest.approx(1.0, abs=0.01)


def test_the_a_a_floor_is_found_once_for_an_incumbent(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=FAST_64))
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    evaluator.evaluate(point(64), against=initial)
    evaluator.evaluate(point(64), against=initial)
    pairs = [r for r in gpu.requests if len(r.contestants) == 2]
    assert [r.contestants[0] == r.contestants[1] for r in pairs] == [False, True, False]


def test_an_effect_beyond_doubt_needs_no_a_a_floor(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=by_block_size({32: 20.0, 64: 10.0})))
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.IMPROVED
    assert found.paired is not None
    assert found.paired.floor_ratio is None
    assert not any(r.contestants[0] == r.contestants[-1] for r in gpu.requests if len(r.contestants) == 2)


def test_an_incumbent_that_is_launch_bound_cannot_be_beaten_by_launching_faster(
    evaluating: Evaluating, point: Points
) -> None:
    times = by_block_size({32: 2.5 * EMPTY_US, 64: 2 * EMPTY_US})
    evaluator, _ = evaluating(Behaviour(unit_us=times))
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.TIE
    assert "mostly that of launching" in found.message
    assert measured(found).resolution_limited


def test_kernels_too_slow_for_a_comparison_tie(evaluating: Evaluating, point: Points) -> None:
    behaviour = Behaviour(unit_us=FAST_64)
    evaluator, _ = evaluating(behaviour)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    behaviour.pair_blocks = 5
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.TIE
    assert "too few rounds of small" in found.message


def test_an_incumbent_that_fails_beside_itself_stops_the_session(evaluating: Evaluating, point: Points) -> None:
    behaviour = Behaviour(unit_us=FAST_64)
    evaluator, _ = evaluating(behaviour)
    evaluator.evaluate(point(32))
    behaviour.replays = True
    with pytest.raises(InfrastructureError, match="fails beside a copy of itself"):
        evaluator.compare(point(32), point(64))


def test_a_fresh_comparison_needs_no_records(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(unit_us=FAST_64))
    found = evaluator.compare(point(32), point(64))
    assert not isinstance(found, NoFigure)
    assert found.speedup == pytest.approx(1.25, rel=0.01)  # type: ignore[union-attr]


def test_an_unbelievable_gain_is_verified_with_further_seeds(evaluating: Evaluating, point: Points) -> None:
    times = by_block_size({32: 2000.0, 64: 50.0})
    evaluator, gpu = evaluating(Behaviour(unit_us=times))
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    before = gpu.runs
    usual = before
    found = evaluator.evaluate(point(64), against=initial)
    extra = gpu.runs - before - usual
    assert found.outcome is Outcome.IMPROVED
    assert extra >= 6, "two fresh seeds for each of three cases"


def test_the_same_secret_draws_the_same_schedule(evaluating: Evaluating, point: Points) -> None:
    drawn = []
    for _ in range(2):
        evaluator, gpu = evaluating(Behaviour())
        evaluator.evaluate(point(32))
        drawn.append(gpu.requests[0].blocks)
    assert drawn[0] == drawn[1]


def test_less_than_the_work_allows_is_held_for_a_person(tiny: Workload, evaluating: Evaluating, point: Points) -> None:
    """[work] claims operations for 30 ms; the kernel needs 20 us of them."""
    claimed = replace(tiny, work=replace(tiny.work, flops="1000000000 * n"))
    evaluator, gpu = evaluating(Behaviour(), claimed)
    found = evaluator.evaluate(point(32))
    assert found.label == "suspicious.below_soft_floor"
    assert not found.promotable
    assert found.geomean_us == pytest.approx(20.0, rel=0.01)
    assert "the operations of [work] at the peak rate take" in found.message
    assert "with twice the sets of inputs and L2 flushed twice" in found.message
    first, again = (r for r in gpu.requests if r.contestants[0].program is not None)
    assert (first.sets, first.flushes, again.sets, again.flushes) == (10, 1, 20, 2)
    assert measured(found).repeated
