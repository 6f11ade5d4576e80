"""The attempt in hand is profiled and diagnosed, and its hypothesis held against the counters."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.diagnosis import diagnose_attempt, worth_profiling
from warpwright.loop.state import LoopState
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.profiler.diagnosis.wording import nothing_left_words
from warpwright.record.event import Event
from warpwright.report.profile.phrases import target_text


def diagnose(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Write `counters.json` and `diagnosis.json` of the attempt, where it is worth it; one that has them is left alone."""
    context = context_of(runtime, state)
    session = context.session
    attempt = session.attempt(state["attempt"])
    if session.diagnosis(attempt.number) is not None or not worth_profiling(context, attempt):
        return {}
    diagnosis = diagnose_attempt(context, attempt)
    target = diagnosis.target
    values = {
        "case": diagnosis.target_case,
        "bottleneck": diagnosis.bottleneck,
        "limited": None if target is None else target.limited,
        "verdict": diagnosis.verdict.value,
    }
    session.emit(Event("diagnosed", attempt=attempt.number, text=_words(diagnosis), values=values))
    return {}


def _words(diagnosis: AttemptDiagnosis) -> str:
    if diagnosis.at_roof:
        return f"{nothing_left_words(diagnosis.cases)}: every case is at its roof"
    return "no case was profiled" if diagnosis.target is None else target_text(diagnosis.target)
