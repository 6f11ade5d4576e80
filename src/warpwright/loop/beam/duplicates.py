"""A candidate whose machine code is that of an earlier attempt is answered from the record, not measured again."""

from dataclasses import replace

from warpwright.compiler.result import Compiled
from warpwright.evaluation.building.machine_code import code_digest, machine_identity
from warpwright.evaluation.course import Examined
from warpwright.evaluation.outcome import DUPLICATE, Evaluation, Outcome
from warpwright.loop.context import LoopContext
from warpwright.record.attempt import Attempt


def answer_from_record(context: LoopContext, examined: Examined) -> Evaluation | None:
    """The outcome of the attempt that runs the same code in the same launches on every case; None if there is none."""
    identity = machine_identity(examined.course)
    if identity is None or examined.course.held is not None:
        return None
    twin = next((a for a in context.session.attempts() if _is(context, a, examined, identity)), None)
    if twin is None:
        return None
    earlier = twin.evaluation
    return replace(
        earlier,
        outcome=_outcome(twin, context.session.incumbent()),
        reason=DUPLICATE,
        message=f"the same machine code and launches as attempt {twin.number}, so not measured again: {earlier.message}",
        compiled=examined.course.result(earlier.outcome, None, "").compiled,
        seconds=dict(examined.course.seconds),
        paired=None,
    )


def _is(context: LoopContext, attempt: Attempt, examined: Examined, identity: str) -> bool:
    """Cheap first: most attempts differ in the binary of their first case already, which is in the record."""
    own, other = examined.course.built, attempt.evaluation.compiled
    if own is None or not isinstance(own.compiled, Compiled) or not isinstance(other, Compiled):
        return False
    if code_digest(own.compiled.cubin) != code_digest(other.cubin):
        return False
    return machine_identity(context.bench.evaluator.build(attempt.candidate).course) == identity


def _outcome(twin: Attempt, incumbent: int) -> Outcome:
    """What the twin would be now. It never beats the incumbent: it is that one, was beaten since, or was no better then."""
    outcome = twin.evaluation.outcome
    if not outcome.correct or outcome is Outcome.SLOWER:
        return outcome
    return Outcome.TIE if twin.number >= incumbent else Outcome.SLOWER
