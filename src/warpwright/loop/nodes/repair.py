"""A failed candidate goes back with its evidence, within the repair budget; then the next idea starts afresh."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.proposing import begin
from warpwright.loop.state import LoopState


def repair(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Begin the repaired candidate as an attempt of its own, or give the idea up."""
    context = context_of(runtime, state)
    session = context.session
    repairs = state.get("repairs", 0) + 1
    pending = session.pending()
    if pending is not None:
        return {"attempt": pending.number, "repairs": repairs, "next": "evaluate"}
    over = context.budget.exhausted(session.attempt_count, session.incumbent())
    proposal = None if over else context.proposer.repair(context.search_state(), state["attempt"], context.notebook())
    if proposal is None:
        return {"next": "propose"}
    return {"attempt": begin(context, proposal), "repairs": repairs, "next": "evaluate"}
