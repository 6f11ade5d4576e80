"""Points of a search on a device that measures: cheap, never an incumbent, timed on every case."""

from dataclasses import replace

import pytest

from evaluation.conftest import Evaluating, Points
from evaluation.simulated_gpu import EMPTY_US, Behaviour, SimulatedGpu, by_block_size
from warpwright.candidate.candidate import Candidate
from warpwright.device.measuring import MeasureRequest
from warpwright.evaluation.evaluator import Evaluator
from warpwright.evaluation.outcome import Evaluation
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.workload.model import Workload


@pytest.fixture(scope="module")
def two(tiny: Workload) -> Workload:
    """With a second perf case."""
    small = tiny.case("small")
    return replace(tiny, cases=(*tiny.cases, replace(small, name="large", dims={"n": 4096}, seed=small.seed + 1)))


def timed(gpu: SimulatedGpu) -> list[MeasureRequest]:
    """Requests about a candidate."""
    return [request for request in gpu.requests if request.contestants[0].program is not None]


def launches(request: MeasureRequest) -> list[int]:
    return [len(block.launches) for block in request.blocks]


def baseline(evaluator: Evaluator, candidate: Candidate) -> Baseline:
    return Baseline(candidate, evaluator.evaluate(candidate))


def samples(found: Evaluation) -> int:
    timing = found.cases[-1].timing
    assert timing is not None
    return len(timing.samples_us)


def test_a_point_is_timed_with_3_and_10_launches_and_no_outputs(
    two: Workload, evaluating: Evaluating, point: Points
) -> None:
    evaluator, gpu = evaluating(Behaviour(), two)
    found = evaluator.evaluate(point(64), screen=True)
    assert found.label == "passed.screened"
    assert not found.promotable
    assert found.geomean_us == pytest.approx(20.0, rel=0.01)
    assert [launches(request) for request in timed(gpu)] == [[3, 10], [3, 10]]
    assert not any(launch.keep for r in timed(gpu) for block in r.blocks for launch in block.launches)
    timing = found.cases[-1].timing
    assert timing is not None
    assert timing.measurement is not None
    assert "screen" in timing.measurement.flags
    assert timing.measurement.checked == ()


def test_one_process_verifies_and_times_a_point(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour())
    evaluator.evaluate(point(64), screen=True)
    assert (gpu.renewals, gpu.rests) == (1, 1)


def test_long_units_take_fewer_launches(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=lambda _: 30_000.0))
    before = baseline(evaluator, point(32))
    assert samples(evaluator.evaluate(point(64), against=before, screen=True)) == 3
    assert launches(timed(gpu)[-1]) == [1, 3]


def test_a_point_that_is_poor_for_one_case_is_timed_on_all(
    two: Workload, evaluating: Evaluating, point: Points
) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=by_block_size({32: 20.0, 128: 100.0})), two)
    before = baseline(evaluator, point(32))
    count = len(timed(gpu))
    found = evaluator.evaluate(point(128), against=before, screen=True)
    assert found.label == "passed.screened"
    assert found.geomean_us == pytest.approx(100.0, rel=0.01)
    assert len(timed(gpu)) - count == 2


def test_an_attempt_as_slow_is_timed_on_every_case(two: Workload, evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(unit_us=by_block_size({32: 20.0, 128: 61.0})), two)
    found = evaluator.evaluate(point(128), against=baseline(evaluator, point(32)))
    assert found.label == "slower"
    assert found.geomean_us == pytest.approx(61.0, rel=0.01)


def test_no_paired_run_and_no_further_seeds_however_fast_a_point_is(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=by_block_size({32: 2000.0, 64: 50.0})))
    before = baseline(evaluator, point(32))
    runs = gpu.runs
    found = evaluator.evaluate(point(64), against=before, screen=True)
    assert found.label == "passed.screened"
    assert found.paired is None
    assert all(len(request.contestants) == 1 for request in gpu.requests)
    assert gpu.runs - runs < runs, "one seed instead of three, on the check cases alone"


def test_what_is_below_the_hard_floor_has_no_time_and_is_not_measured_again(
    evaluating: Evaluating, point: Points
) -> None:
    evaluator, gpu = evaluating(Behaviour(unit_us=lambda _: EMPTY_US * 0.9))
    found = evaluator.evaluate(point(64), screen=True)
    assert found.label == "rejected.below_hard_floor"
    assert found.geomean_us is None
    assert "in a search it was not measured again" in found.message
    assert len(timed(gpu)) == 1


def test_what_is_below_the_soft_floor_says_so(tiny: Workload, evaluating: Evaluating, point: Points) -> None:
    claimed = replace(tiny, work=replace(tiny.work, flops="1000000000 * n"))
    evaluator, gpu = evaluating(Behaviour(), claimed)
    found = evaluator.evaluate(point(64), screen=True)
    assert found.label == "suspicious.below_soft_floor"
    assert "in a search it was not measured again" in found.message
    assert len(timed(gpu)) == 1


def test_tainted_rounds_are_taken_again_once(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(throttled=lambda _: True))
    assert evaluator.evaluate(point(64), screen=True).label == "passed.screened"
    assert [launches(request) for request in timed(gpu)] == [[3, 10], [3, 10]]


def test_a_kernel_that_is_wrong_only_on_a_perf_case_passes_as_a_point_and_fails_as_an_attempt(
    evaluating: Evaluating, point: Points
) -> None:
    wrong = replace(
        point(32), source=point(32).source.replace("if (i < n)", "if (i < n) y[i] = 0; if (i < n && n < 1000)")
    )
    evaluator, _ = evaluating(Behaviour())
    assert evaluator.evaluate(wrong, screen=True).label == "passed.screened"
    assert evaluator.evaluate(wrong).label == "wrong_result.mismatch"
