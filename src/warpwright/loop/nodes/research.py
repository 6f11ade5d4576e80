"""What the field guide and the documents advise on the bottleneck of the attempt in hand."""

from langgraph.runtime import Runtime

from warpwright.knowledge.field_guide.card import Guidance
from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.research import look_up
from warpwright.loop.state import LoopState
from warpwright.record.event import Event


def research(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Write `guidance.json` if the attempt has a bottleneck that nothing was looked up for yet."""
    context = context_of(runtime, state)
    session = context.session
    number = state["attempt"]
    diagnosis = session.diagnosis(number)
    if diagnosis is None or session.guidance(number) is not None:
        return {}
    guidance = look_up(context, number, diagnosis)
    if guidance is None:
        return {}
    session.write_guidance(number, guidance)
    session.emit(Event("researched", attempt=number, text=_words(guidance), values={"rung": guidance.rung}))
    return {}


def _words(guidance: Guidance) -> str:
    found = ", ".join(f"{advice.card.id} {advice.card.name}" for advice in guidance.advice) or "nothing"
    return f"on {guidance.bottleneck}: {found}"
