"""Last node: the incumbent is verified on hidden cases and fresh seeds and measured afresh, then the session is summed up."""

import time
from dataclasses import dataclass

from langgraph.runtime import Runtime

from warpwright.benchmark.figure import PairedFigure
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.promotion.comparison import NoFigure
from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.secret import file_secret
from warpwright.loop.state import LoopState
from warpwright.profiler.sanitizer.report import NOT_APPLICABLE, SanitizerReport
from warpwright.record.attempt import Attempt
from warpwright.record.event import Event
from warpwright.record.summary import FinalCheck, Summary
from warpwright.report.html import write_report


def finish(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Keep the best candidate that the hidden cases bear out, write summary and report, file the secret."""
    context = context_of(runtime, state)
    session = context.session
    best, checks = _best_borne_out(context)
    published = _Published() if best is None else best.published
    number = best.attempt.number if best else 0
    session.write_summary(
        Summary(
            stop=state.get("stop", ""),
            best=number,
            final_checks=checks,
            elapsed_s=context.budget.elapsed_s(),
            published=published.over_initial,
            published_reference=published.over_reference,
            unpublished=published.why_not,
            sanitizer=None if best is None else best.sanitizer,
        )
    )
    file_secret(session)
    if context.history is not None:
        context.history.learn()
    write_report(session)
    session.emit(Event("ended", attempt=number, text=state.get("stop", "")))
    return {}


@dataclass(frozen=True, slots=True)
class _Published:
    """Paired runs of the best candidate after the search. why_not: why there is none over the initial kernel."""

    over_initial: PairedFigure | None = None
    over_reference: PairedFigure | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class _Best:
    attempt: Attempt
    published: _Published
    sanitizer: SanitizerReport


def _best_borne_out(context: LoopContext) -> tuple[_Best | None, tuple[FinalCheck, ...]]:
    """The newest incumbent that passes the hidden cases, going back through the former ones where one does not.

    On a GPU compute-sanitizer must find nothing in it; that a tool was not run is recorded and fails nobody. Where times are
    measured it must also pass a paired run against the initial kernel: the published figure is never a number of the search,
    whose winner is the luckiest of many (M37).
    """
    checks: list[FinalCheck] = []
    for number in reversed(context.session.incumbents()):
        attempt = context.session.attempt(number)
        context.session.emit(Event("stage", attempt=number, text="hidden cases"))
        started = time.monotonic()
        verdict = context.bench.verify_hidden(attempt.candidate)
        context.session.charge("hidden", number, time.monotonic() - started)
        checks.append(FinalCheck(number, verdict.outcome.correct, f"{verdict.label}: {verdict.message}"))
        if not verdict.outcome.correct:
            continue
        sanitizer = _sanitize(context, attempt)
        if sanitizer.serious:
            checks[-1] = FinalCheck(number, passed=False, message=f"{sanitizer.serious[0].label}: {sanitizer.fault}")
            continue
        published = _publish(context, attempt)
        if isinstance(published, _Published):
            return _Best(attempt, published, sanitizer), tuple(checks)
        checks[-1] = FinalCheck(number, passed=False, message=f"{published.label}: {published.message}")
    return None, tuple(checks)


def _sanitize(context: LoopContext, attempt: Attempt) -> SanitizerReport:
    if not context.bench.evaluator.measures:
        return NOT_APPLICABLE
    context.session.emit(Event("stage", attempt=attempt.number, text="compute-sanitizer"))
    started = time.monotonic()
    report = context.bench.sanitize(attempt.candidate)
    context.session.charge("sanitize", attempt.number, time.monotonic() - started)
    return report


def _publish(context: LoopContext, attempt: Attempt) -> _Published | Failure:
    """Measure an attempt beside the initial and the reference kernel; its Failure if it fails under the clock."""
    evaluator, workload = context.bench.evaluator, context.session.workload
    if not evaluator.measures:
        return _Published(why_not="times are estimates")
    first = context.session.attempt(1)
    if attempt.number == first.number:
        return _Published(why_not="the initial kernel is the best")
    started = time.monotonic()
    context.session.emit(Event("stage", attempt=attempt.number, text="published figure"))
    over_initial: PairedFigure | NoFigure | Failure = NoFigure("the initial kernel has not passed every check")
    if first.evaluation.outcome.correct:
        over_initial = evaluator.compare(first.candidate, attempt.candidate)
    over_reference = None
    if workload.reference_kernel is not None and not isinstance(over_initial, Failure):
        over_reference = evaluator.compare(workload.reference_kernel, attempt.candidate)
    context.session.charge("publish", attempt.number, time.monotonic() - started)
    for found in (over_initial, over_reference):
        if isinstance(found, Failure):
            return found
    return _Published(
        over_initial if isinstance(over_initial, PairedFigure) else None,
        over_reference if isinstance(over_reference, PairedFigure) else None,
        over_initial.message if isinstance(over_initial, NoFigure) else "",
    )
