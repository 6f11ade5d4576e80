"""A failed candidate goes back with its evidence, within the repair budget; then the next idea starts afresh."""

from dataclasses import replace

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.proposing import begin
from warpwright.loop.state import LoopState
from warpwright.loop.tuning import attempt_to_tune


def repair(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Begin the repaired candidate as an attempt of its own, or give the idea up. Those in hand before it come first."""
    context = context_of(runtime, state)
    session, failed = context.session, state["attempt"]
    if not any(attempt.parent == failed for attempt in session.pending()):  # else begun before a kill
        over = context.budget.exhausted(session.next_number - 1, session.incumbent())
        notebook = context.notebook()
        proposal = None if over else context.proposer.repair(context.search_state(), failed, notebook)
        if proposal is not None:
            begin(context, replace(proposal, parent=failed))
    pending = [attempt.number for attempt in session.pending()]
    if not pending:
        return {"next": "propose" if attempt_to_tune(session) is None else "tune"}
    return {"attempt": pending[0], "step": pending[-1], "next": "evaluate"}
