"""A failed candidate goes back with its evidence, within the repair budget; then the next idea starts afresh."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.state import LoopState
from warpwright.record.event import Event


def repair(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Begin the repaired candidate as an attempt of its own, or give the idea up."""
    context = context_of(runtime, state)
    session = context.session
    repairs = state.get("repairs", 0) + 1
    pending = session.pending()
    if pending is not None:
        return {"attempt": pending.number, "repairs": repairs, "next": "evaluate"}
    search = context.search_state()
    over = context.budget.exhausted(len(search.attempts), search.incumbent)
    proposal = None if over else context.proposer.repair(search, state["attempt"])
    if proposal is None:
        return {"next": "propose"}
    number = session.begin(proposal.candidate, proposal.hypothesis, proposal.proposer, proposal.parent)
    session.emit(Event("proposed", attempt=number, text=proposal.hypothesis.text))
    return {"attempt": number, "repairs": repairs, "next": "evaluate"}
