"""A candidate before its turn, beside others: compiled, and verified and timed where a device takes several at a time."""

from langgraph.runtime import Runtime

from warpwright.errors import InfrastructureError
from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.state import LoopState
from warpwright.record.event import Event


def examine(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """One branch of a fan-out; what it finds is kept in memory for `evaluate`. It changes nothing in the record.

    A branch loses no other: a candidate's failure is data, and what the machine refused to several at once is tried again
    when the candidate's turn comes, alone.
    """
    context = context_of(runtime, state)
    session, number = context.session, state["attempt"]
    pending = next((attempt for attempt in session.pending() if attempt.number == number), None)
    if pending is None or context.stopping.is_set():
        return {}
    evaluator = context.bench.evaluator
    session.emit(Event("stage", attempt=number, text="examine"))
    try:
        context.ahead.examine(number, lambda: evaluator.examine(pending.candidate))
    except InfrastructureError as error:
        session.emit(Event("note", attempt=number, text=f"not examined beside others, but in its turn: {error}"))
    return {}
