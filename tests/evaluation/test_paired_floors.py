"""Floors in paired runs: what cannot be a time alone is none beside the incumbent, and in the published figure."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evaluation.conftest import Evaluating, Points
from evaluation.simulated_gpu import Behaviour, SimulatedGpu
from warpwright.benchmark.figure import PairedFigure
from warpwright.device.measuring import Contestant, MeasureRequest
from warpwright.evaluation.evaluator import Evaluator
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.workload.model import Workload

INCUMBENT_US, ALONE_US = 20.0, 16.0
Beside = Callable[[int], float]
"""Number of the paired request, from 1 -> the contender's time in it."""


@pytest.fixture
def working(tiny: Workload) -> Workload:
    """[work] claims operations for ten microseconds."""
    return replace(tiny, work=replace(tiny.work, flops="327680 * n"))


def opened(evaluating: Evaluating, workload: Workload, beside: Beside) -> tuple[Evaluator, SimulatedGpu]:
    """The contender, of 64 threads, takes another time beside the incumbent than alone."""
    behaviour = Behaviour()
    evaluator, gpu = evaluating(behaviour, workload)

    def unit_us(contestant: Contestant) -> float:
        if contestant.plan.launches[0].block_threads != 64:
            return INCUMBENT_US
        return beside(len(pairs(gpu))) if len(gpu.requests[-1].contestants) == 2 else ALONE_US

    behaviour.unit_us = unit_us
    return evaluator, gpu


def pairs(gpu: SimulatedGpu) -> list[MeasureRequest]:
    return [r for r in gpu.requests if len(r.contestants) == 2 and r.contestants[0] != r.contestants[1]]


def test_less_than_an_empty_launch_beside_the_incumbent_is_rejected(
    evaluating: Evaluating, tiny: Workload, point: Points
) -> None:
    evaluator, gpu = opened(evaluating, tiny, lambda _: 0.2)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    renewals = gpu.renewals
    found = evaluator.evaluate(point(64), against=initial)
    assert found.label == "rejected.below_hard_floor"
    assert "is less than an empty launch with the same attributes takes" in found.message
    assert "so it was when both were measured again in a fresh process" in found.message
    assert len(pairs(gpu)) == 2
    assert gpu.renewals - renewals == 5, "verification, the clock, the pair twice, the incumbent beside itself"
    figure = evaluator.compare(point(32), point(64))
    assert isinstance(figure, Failure)
    assert figure.label == "rejected.below_hard_floor"


def test_less_than_the_work_allows_beside_the_incumbent_is_held(
    evaluating: Evaluating, working: Workload, point: Points
) -> None:
    evaluator, gpu = opened(evaluating, working, lambda _: 5.0)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    found = evaluator.evaluate(point(64), against=initial)
    assert found.label == "suspicious.below_soft_floor"
    assert not found.promotable
    assert found.message.startswith("held until a person accepts it: case small (n=2048): 5.")
    assert "so it was with twice the sets of inputs and L2 flushed twice" in found.message
    first, again = pairs(gpu)
    assert (first.sets, first.flushes, again.sets, again.flushes) == (10, 1, 20, 2)
    figure = evaluator.compare(point(32), point(64))
    assert isinstance(figure, Failure)
    assert figure.label == "suspicious.below_soft_floor"


@pytest.mark.parametrize("us", [0.2, 5.0])
def test_a_time_below_a_floor_once_accuses_nobody(
    evaluating: Evaluating, working: Workload, point: Points, us: float
) -> None:
    evaluator, gpu = opened(evaluating, working, lambda number: us if number == 1 else ALONE_US)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    found = evaluator.evaluate(point(64), against=initial)
    assert found.outcome is Outcome.IMPROVED, found.message
    assert found.speedup == pytest.approx(1.25, rel=0.01)
    assert len(pairs(gpu)) == 2


def test_an_incumbent_below_a_floor_beside_itself_is_accused_of_nothing(
    evaluating: Evaluating, working: Workload, point: Points
) -> None:
    behaviour = Behaviour(unit_us=lambda c: 16.0 if c.plan.launches[0].block_threads == 64 else 20.0)
    evaluator, gpu = evaluating(behaviour, working)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))

    def unit_us(contestant: Contestant) -> float:
        first, *others = gpu.requests[-1].contestants
        return 5.0 if [first] == others else 16.0 if contestant.plan.launches[0].block_threads == 64 else 20.0

    behaviour.unit_us = unit_us
    found = evaluator.evaluate(point(64), against=initial)
    assert isinstance(found.paired, PairedFigure), found.message
    assert found.outcome is Outcome.IMPROVED
