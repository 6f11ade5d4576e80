"""Last node: the incumbent is verified on hidden cases and fresh seeds and measured afresh, then the session is summed up."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.final_check import BorneOut, Published, check_finally
from warpwright.loop.secret import file_secret
from warpwright.loop.state import LoopState
from warpwright.record.event import Event
from warpwright.record.summary import FinalCheck, Summary
from warpwright.report.html import write_report


def finish(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Keep the best candidate that the hidden cases bear out, write summary and report, file the secret."""
    context = context_of(runtime, state)
    session = context.session
    best, checks = _best_borne_out(context)
    published = Published() if best is None else best.published
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


def _best_borne_out(context: LoopContext) -> tuple[BorneOut | None, tuple[FinalCheck, ...]]:
    """The newest incumbent that passes the last checks, going back through the former ones where one does not."""
    checks: list[FinalCheck] = []
    for number in reversed(context.session.incumbents()):
        found, check = check_finally(context, number)
        checks.append(check)
        if found is not None:
            return found, tuple(checks)
    return None, tuple(checks)
