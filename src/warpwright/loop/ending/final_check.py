"""The last checks of an attempt before it is published: hidden cases, compute-sanitizer, a paired figure of its own."""

import time
from dataclasses import dataclass

from warpwright.benchmark.figure import PairedFigure
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.promotion.comparison import NoFigure
from warpwright.loop.context import LoopContext
from warpwright.profiler.sanitizer.report import NOT_APPLICABLE, SanitizerReport
from warpwright.record.attempt import Attempt
from warpwright.record.event import Event
from warpwright.record.summary import FinalCheck


@dataclass(frozen=True, slots=True)
class Published:
    """Paired runs of the best candidate after the search. why_not: why there is none over the initial kernel."""

    over_initial: PairedFigure | None = None
    over_reference: PairedFigure | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class BorneOut:
    """An attempt that passed everything."""

    attempt: Attempt
    published: Published
    sanitizer: SanitizerReport


def check_finally(context: LoopContext, number: int) -> tuple[BorneOut | None, FinalCheck]:
    """Verify an attempt on hidden cases and fresh seeds.

    On a GPU compute-sanitizer must find nothing in it; that a tool was not run is recorded and fails nobody. Where times are
    measured it must also pass a paired run against the initial kernel: the published figure is never a number of the search,
    whose winner is the luckiest of many (M37).
    """
    attempt = context.session.attempt(number)
    context.session.emit(Event("stage", attempt=number, text="hidden cases"))
    started = time.monotonic()
    verdict = context.bench.verify_hidden(attempt.candidate)
    context.charge("hidden", number, time.monotonic() - started)
    if not verdict.outcome.correct:
        return None, FinalCheck(number, passed=False, message=f"{verdict.label}: {verdict.message}")
    sanitizer = _sanitize(context, attempt)
    if sanitizer.serious:
        message = f"{sanitizer.serious[0].label}: {sanitizer.fault}"
        return None, FinalCheck(number, passed=False, message=message)
    published = _publish(context, attempt)
    if isinstance(published, Failure):
        return None, FinalCheck(number, passed=False, message=f"{published.label}: {published.message}")
    passed = FinalCheck(number, passed=True, message=f"{verdict.label}: {verdict.message}")
    return BorneOut(attempt, published, sanitizer), passed


def _sanitize(context: LoopContext, attempt: Attempt) -> SanitizerReport:
    if not context.bench.evaluator.measures:
        return NOT_APPLICABLE
    context.session.emit(Event("stage", attempt=attempt.number, text="compute-sanitizer"))
    started = time.monotonic()
    report = context.bench.sanitize(attempt.candidate)
    context.charge("sanitize", attempt.number, time.monotonic() - started)
    return report


def _publish(context: LoopContext, attempt: Attempt) -> Published | Failure:
    """Measure an attempt beside the initial and the reference kernel; its Failure if it fails under the clock."""
    evaluator, workload = context.bench.evaluator, context.session.workload
    if not evaluator.measures:
        return Published(why_not="times are estimates")
    first = context.session.attempt(1)
    if attempt.number == first.number:
        return Published(why_not="the initial kernel is the best")
    started = time.monotonic()
    context.session.emit(Event("stage", attempt=attempt.number, text="published figure"))
    over_initial: PairedFigure | NoFigure | Failure = NoFigure("the initial kernel has not passed every check")
    if first.evaluation.outcome.correct:
        over_initial = evaluator.compare(first.candidate, attempt.candidate)
    over_reference = None
    if workload.reference_kernel is not None and not isinstance(over_initial, Failure):
        over_reference = evaluator.compare(workload.reference_kernel, attempt.candidate)
    context.charge("publish", attempt.number, time.monotonic() - started)
    for found in (over_initial, over_reference):
        if isinstance(found, Failure):
            return found
    return Published(
        over_initial if isinstance(over_initial, PairedFigure) else None,
        over_reference if isinstance(over_reference, PairedFigure) else None,
        over_initial.message if isinstance(over_initial, NoFigure) else "",
    )
