"""What an attempt changes: a new incumbent goes to `best/`, and the next verb is chosen."""

from langgraph.runtime import Runtime

from warpwright.evaluation.outcome import Outcome
from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.state import LoopState, NextNode
from warpwright.loop.tuning import attempt_to_tune
from warpwright.record.attempt import Attempt
from warpwright.record.event import Event
from warpwright.record.session import Session


def record(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Promote if the incumbent changed, tell the watchers, choose what comes next."""
    context = context_of(runtime, state)
    session = context.session
    attempt = session.attempt(state["attempt"])
    if session.incumbent() == attempt.number and not session.ended:  # an ended one's best passes the last checks first
        session.promote(attempt.number)
    evaluation = attempt.evaluation
    session.emit(
        Event(
            "finished",
            attempt=attempt.number,
            text=evaluation.message,
            values={"label": evaluation.label, "geomean_us": evaluation.geomean_us, "incumbent": session.incumbent()},
        )
    )
    return {"next": _next(context, attempt)}


def _next(context: LoopContext, attempt: Attempt) -> NextNode:
    if context.budget.time_is_up():
        return "diagnose"  # on the way to `propose`, which stops with the reason
    failed = not attempt.evaluation.outcome.correct
    held = attempt.evaluation.outcome in (Outcome.REJECTED, Outcome.SUSPICIOUS)
    if (
        failed
        and not held
        and attempt.number > 1
        and repairs_before(context.session, attempt) < context.budget.max_repairs
    ):
        return "repair"
    if not context.session.pending() and attempt_to_tune(context.session) is not None:
        return "tune"
    return "diagnose"


def repairs_before(session: Session, attempt: Attempt) -> int:
    """How many repairs led to an attempt: only a repair has a failed parent, except what was made of an initial kernel that
    fails.
    """
    count = 0
    while attempt.parent > 1 and not session.attempt(attempt.parent).evaluation.outcome.correct:
        count += 1
        attempt = session.attempt(attempt.parent)
    return count
