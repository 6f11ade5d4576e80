"""The attempt in hand is profiled and diagnosed, and its hypothesis held against the counters."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.diagnosis import diagnose_attempt, worth_profiling
from warpwright.loop.state import LoopState
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.record.event import Event


def diagnose(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Write `counters.json` and `diagnosis.json` of the attempt, where it is worth it; one that has them is left alone."""
    context = context_of(runtime, state)
    session = context.session
    attempt = session.attempt(state["attempt"])
    if session.diagnosis(attempt.number) is not None or not worth_profiling(context, attempt):
        return {}
    diagnosis = diagnose_attempt(context, attempt)
    values = {"case": diagnosis.target_case, "bottleneck": diagnosis.bottleneck, "verdict": diagnosis.verdict.value}
    session.emit(Event("diagnosed", attempt=attempt.number, text=_words(diagnosis), values=values))
    return {}


def _words(diagnosis: AttemptDiagnosis) -> str:
    if diagnosis.at_roof:
        return "nothing is left to gain: every case is at its floor or roof"
    target = diagnosis.target
    if target is None or target.target is None:
        return "no bottleneck class applies"
    return f"{target.case}: {target.target.text}"
