"""Schedules that do not fit into their time: planned shorter, or no time at all, but never one that nobody compared."""

from dataclasses import replace

import pytest

from evaluation.conftest import Evaluating, Points
from evaluation.simulated_gpu import Behaviour, SimulatedGpu, by_block_size
from warpwright.benchmark.figure import PairedFigure
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.evaluation.promotion.comparison import NoFigure
from warpwright.workload.model import Workload


def shapes(gpu: SimulatedGpu, sides: int = 1) -> list[list[int]]:
    """Launches of every block that was asked for, request by request."""
    asked = [r for r in gpu.requests if r.contestants[0].program is not None and len(r.contestants) == sides]
    return [[len(block.launches) for block in request.blocks] for request in asked]


def compared(evaluation: Evaluation) -> list[tuple[int, int]]:
    timing = evaluation.cases[-1].timing
    assert timing is not None
    assert timing.measurement is not None
    return [(launch.block, launch.launch) for launch in timing.measurement.checked]


def slow(unit_us: float, *, known: bool = True) -> Behaviour:
    return Behaviour(unit_us=lambda _: unit_us, limited=True, verifying_us=unit_us if known else None)


PLANS = {
    "all fits": (100_000.0, [10] * 11, 100),
    "the initial kernel of reduce_sum on an H200": (176_000.0, [10] * 7, 60),
    "one round": (700_000.0, [10, 10], 10),
    "fewer warm-ups": (1_000_000.0, [4, 10], 10),
    "fewer launches": (1_800_000.0, [1, 6], 6),
}


@pytest.mark.parametrize(("unit_us", "blocks", "samples"), PLANS.values(), ids=PLANS)
def test_what_is_known_to_be_slow_is_planned_to_fit(
    evaluating: Evaluating, point: Points, unit_us: float, blocks: list[int], samples: int
) -> None:
    evaluator, gpu = evaluating(slow(unit_us))
    found = evaluator.evaluate(point(32))
    assert found.label == "passed", found.message
    assert shapes(gpu) == [blocks]
    timing = found.cases[-1].timing
    assert timing is not None
    assert len(timing.samples_us) == samples
    assert ("truncated" in found.message) == (samples < 100)
    if samples < 100:
        assert f"truncated: {samples} instead of 100 launches, as many as fit into the time limit." in timing.notes
    assert 6 <= len(compared(found)) <= 7
    assert compared(found)[-1] == (len(blocks) - 1, blocks[-1] - 1)


def test_what_turns_out_to_be_slow_is_taken_again_with_fewer_launches(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(slow(250_000.0, known=False))
    found = evaluator.evaluate(point(32))
    assert found.label == "passed", found.message
    assert shapes(gpu) == [[10] * 11, [10] * 5]
    assert gpu.renewals == 3, "verification, the clock, and the clock once more"
    assert compared(found)[-1] == (4, 9)


def test_a_time_whose_last_launch_did_not_run_is_no_time(evaluating: Evaluating, point: Points) -> None:
    evaluator, gpu = evaluating(Behaviour(unfinished=lambda _: True))
    found = evaluator.evaluate(point(32))
    assert found.label == "timeout.timing"
    assert found.message == (
        "case small (n=2048): 50 of 60 measured launches within 20.1 s, the limit for all 70 launches of a case. Those whose "
        "outputs are compared, the last one among them, did not all run, and without them a time proves nothing. Every launch "
        "must take about as long as in verification."
    )
    assert shapes(gpu) == [[10] * 11, [10] * 7], "it had a second chance, with 0.7 times the launches that ran"


def test_a_cheat_that_has_the_limit_end_its_schedule_is_compared_all_the_same(
    evaluating: Evaluating, tiny: Workload
) -> None:
    """It does nothing but for the first launch, and waits at the end of each block until the time is over."""
    behaviour = Behaviour(unit_us=lambda _: 4.0, verifying_us=30.0, limited=True, block_us=900_000.0, replays=True)
    evaluator, _ = evaluating(behaviour)
    for number in range(12):
        found = evaluator.evaluate(replace(tiny.initial, source=f"{tiny.initial.source}// {number}\n"))
        assert found.label == "rejected.timed_mismatch", found.message


def test_a_paired_run_that_was_cut_short_promotes_nothing(evaluating: Evaluating, point: Points) -> None:
    behaviour = Behaviour(unit_us=by_block_size({32: 20.0, 64: 10.0}))
    evaluator, _ = evaluating(behaviour)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    behaviour.unfinished = lambda request: len(request.contestants) == 2
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.TIE
    assert found.message.startswith(
        "tie: the time limit ended the paired run of small before all launches ran whose outputs are compared"
    )
    assert not found.promotable


def test_a_slow_incumbent_is_compared_in_fewer_rounds(evaluating: Evaluating, point: Points) -> None:
    times = by_block_size({32: 400_000.0, 64: 10_000.0})
    evaluator, gpu = evaluating(Behaviour(unit_us=times, limited=True))
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.IMPROVED, found.message
    assert shapes(gpu, 2)[0] == [10, 10, *[10] * 10], "planned to fit at once"
    assert found.paired is not None
    assert (found.paired.rounds, found.paired.flags) == (5, ("truncated",))


def test_a_published_figure_of_kernels_without_records_is_planned_by_what_they_took(
    evaluating: Evaluating, point: Points
) -> None:
    times = by_block_size({32: 400_000.0, 64: 10_000.0})
    evaluator, gpu = evaluating(Behaviour(unit_us=times, limited=True))
    figure = evaluator.compare(point(32), point(64))
    assert isinstance(figure, PairedFigure), figure
    assert figure.speedup == pytest.approx(40.0, rel=0.01)
    assert len(shapes(gpu, 2)[0]) == 22
    assert figure.rounds >= 5
    evaluator, _ = evaluating(Behaviour(unfinished=lambda request: len(request.contestants) == 2))
    assert isinstance(evaluator.compare(point(32), point(64)), NoFigure)
