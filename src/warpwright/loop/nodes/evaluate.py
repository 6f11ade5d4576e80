"""The bracket of the loop: compile, verify, benchmark, decide; the result is on disk before the node returns."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.state import LoopState
from warpwright.record.event import Event


def evaluate(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Evaluate the attempt in hand against the incumbent. A finished one (kill after the write) is not run again."""
    context = context_of(runtime, state)
    session = context.session
    pending = session.pending()
    if pending is None:
        return {}
    incumbent = session.incumbent()
    against = session.attempt(incumbent) if incumbent else None

    def on_stage(stage: str) -> None:
        session.emit(Event("stage", attempt=pending.number, text=stage))

    evaluation = context.bench.evaluator.evaluate(pending.candidate, against=against, on_stage=on_stage)
    session.finish(pending.number, evaluation)
    session.charge("evaluate", pending.number, sum(evaluation.seconds.values()))
    return {}
