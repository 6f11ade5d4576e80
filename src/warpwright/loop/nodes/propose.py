"""The next candidates: the initial kernel first, then whatever the proposer makes of the record."""

from langgraph.runtime import Runtime

from warpwright.loop.beam.step import begin_step
from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.ending.stopping import reason_to_stop
from warpwright.loop.state import LoopState
from warpwright.record.event import Event


def propose(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Give the next attempt in hand its turn, or begin one or (in a beam) several, or stop.

    Attempts begun before a kill are taken up again, never begun twice; a step that a kill cut short is made whole first.
    """
    context = context_of(runtime, state)
    session = context.session
    pending = [attempt.number for attempt in session.pending()]
    whole = session.options.width == 1 or bool(pending and pending[0] <= state.get("step", 0))
    if pending and whole:
        if session.options.width > 1 and session.attempts() and context.budget.time_is_up():
            return _stop(context, f"{reason_to_stop(context)}; not evaluated any more: {_listed(pending)}")
        return {"attempt": pending[0], "step": pending[-1], "next": "evaluate"}
    if not session.attempts():
        number = session.begin(session.workload.initial, None, "workload", 0)
        return {"attempt": number, "step": number, "next": "evaluate"}
    stop = reason_to_stop(context)
    if stop is None:
        step = begin_step(context)
        if step.numbers:
            several = len(step.numbers) > 1
            last = session.next_number - 1
            return {"attempt": step.numbers[0], "step": last, "next": "examine" if several else "evaluate"}
        stop = step.refusal or f"{context.proposer.name} has nothing left to try"
    return _stop(context, stop)


def _stop(context: LoopContext, reason: str) -> LoopState:
    context.session.emit(Event("stopped", text=reason))
    return {"stop": reason, "next": "finish"}


def _listed(numbers: list[int]) -> str:
    return "attempt" + ("s " if len(numbers) > 1 else " ") + ", ".join(str(number) for number in numbers)
