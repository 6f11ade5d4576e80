"""Last node: the incumbent is verified once more on hidden cases and fresh seeds, then the session is summed up."""

import time

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.secret import file_secret
from warpwright.loop.state import LoopState
from warpwright.record.attempt import Attempt
from warpwright.record.event import Event
from warpwright.record.summary import FinalCheck, Summary
from warpwright.report.html import write_report


def finish(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Keep the best candidate that the hidden cases bear out, write summary and report, file the secret."""
    context = context_of(runtime, state)
    session = context.session
    best, checks = _best_borne_out(context)
    session.write_summary(
        Summary(
            stop=state.get("stop", ""),
            best=best.number if best else 0,
            final_checks=checks,
            elapsed_s=context.budget.elapsed_s(),
        )
    )
    file_secret(session)
    write_report(session)
    session.emit(Event("ended", attempt=best.number if best else 0, text=state.get("stop", "")))
    return {}


def _best_borne_out(context: LoopContext) -> tuple[Attempt | None, tuple[FinalCheck, ...]]:
    """The newest incumbent that passes the hidden cases, going back through the former ones where one does not."""
    checks: list[FinalCheck] = []
    for number in reversed(context.session.incumbents()):
        attempt = context.session.attempt(number)
        context.session.emit(Event("stage", attempt=number, text="hidden cases"))
        started = time.monotonic()
        verdict = context.bench.verify_hidden(attempt.candidate)
        context.session.charge("hidden", number, time.monotonic() - started)
        checks.append(FinalCheck(number, verdict.outcome.correct, f"{verdict.label}: {verdict.message}"))
        if verdict.outcome.correct:
            return attempt, tuple(checks)
    return None, tuple(checks)
