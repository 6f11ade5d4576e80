"""The next candidate: the initial kernel first, then whatever the proposer makes of the record."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.proposing import begin
from warpwright.loop.state import LoopState
from warpwright.loop.stopping import reason_to_stop
from warpwright.record.event import Event


def propose(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Begin one attempt, or stop. An attempt begun before a kill is taken up again, never begun twice."""
    context = context_of(runtime, state)
    session = context.session
    pending = session.pending()
    if pending is not None:
        return {"attempt": pending.number, "next": "evaluate"}
    if not session.attempts():
        number = session.begin(session.workload.initial, None, "workload", 0)
        return {"attempt": number, "repairs": 0, "next": "evaluate"}
    stop = reason_to_stop(context)
    if stop is None:
        notebook = context.notebook()
        proposal = context.proposer.propose(context.search_state(), notebook)
        if proposal is not None:
            return {"attempt": begin(context, proposal), "repairs": 0, "next": "evaluate"}
        stop = notebook.refusal or f"{context.proposer.name} has nothing left to try"
    session.emit(Event("stopped", text=stop))
    return {"stop": stop, "next": "finish"}
