"""Last node: the incumbent is verified on hidden cases and fresh seeds and measured afresh, then the session is summed up."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.ending.complete import complete
from warpwright.loop.ending.final_check import BorneOut, Published, check_finally
from warpwright.loop.state import LoopState
from warpwright.record.summary import FinalCheck, Summary


def finish(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Keep the best candidate that the hidden cases bear out and write the summary; what comes after it, `complete` does."""
    context = context_of(runtime, state)
    session = context.session
    best, checks = _best_borne_out(context)
    published = Published() if best is None else best.published
    session.write_summary(
        Summary(
            stop=state.get("stop", ""),
            best=best.attempt.number if best else 0,
            final_checks=checks,
            elapsed_s=context.budget.elapsed_s(),
            published=published.over_initial,
            published_reference=published.over_reference,
            unpublished=published.why_not,
            sanitizer=None if best is None else best.sanitizer,
        )
    )
    complete(session, context.history)
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
