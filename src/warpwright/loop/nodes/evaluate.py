"""The bracket of the loop: compile, verify, benchmark, decide; the result is on disk before the node returns."""

from langgraph.runtime import Runtime

from warpwright.evaluation.outcome import Evaluation
from warpwright.loop.beam.duplicates import answer_from_record
from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.state import LoopState
from warpwright.record.attempt import PendingAttempt
from warpwright.record.event import Event


def evaluate(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Evaluate the attempt whose turn it is against the incumbent as it stands. A finished one (kill after the write) is not
    run again.
    """
    context = context_of(runtime, state)
    session, number = context.session, state["attempt"]
    pending = next((attempt for attempt in session.pending() if attempt.number == number), None)
    if pending is None:
        return {}
    evaluation, seconds = _evaluated(context, pending)
    session.finish(number, evaluation)
    context.charge("evaluate", number, seconds, evaluation)
    return {}


def _evaluated(context: LoopContext, pending: PendingAttempt) -> tuple[Evaluation, float]:
    """The result, and the wall seconds that it took."""
    session, evaluator = context.session, context.bench.evaluator
    incumbent = session.incumbent()
    against = session.attempt(incumbent) if incumbent else None

    def on_stage(stage: str) -> None:
        session.emit(Event("stage", attempt=pending.number, text=stage))

    if session.options.width == 1:
        alone = evaluator.evaluate(pending.candidate, against=against, on_stage=on_stage)
        return alone, sum(alone.seconds.values())
    found = context.ahead.take(pending.number)
    examined = evaluator.build(pending.candidate) if found is None else found.examined
    examined.course.listener = on_stage
    evaluation = answer_from_record(context, examined) or evaluator.evaluate(
        pending.candidate, against=against, examined=examined
    )
    beside_others_s = 0.0 if found is None else found.share_s - found.spent_s
    return evaluation, sum(evaluation.seconds.values()) + beside_others_s
