"""Guidance on a diagnosis, from what the session knows."""

from warpwright.evaluation.judgement import advise
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.loop.context import LoopContext
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis


def look_up(context: LoopContext, number: int, diagnosis: AttemptDiagnosis) -> Guidance | None:
    """What is advised on the target of an attempt; None if it has none."""
    session, target = context.session, diagnosis.target
    profile = next((p for p in (session.profiles(number) or ()) if p.case == diagnosis.target_case), None)
    if target is None or profile is None:
        return None
    return advise(session.workload, context.bench.device.spec, profile, target, context.documents, _gains(context))


def _gains(context: LoopContext) -> dict[str, list[float]]:
    """Card -> speed-ups over its parent of every correct attempt of this session that carried it out, and what it brought in
    other sessions on operations of this kind.
    """
    known = {} if context.history is None else context.history.card_gains
    gains = {card: list(brought) for card, brought in known.items()}
    attempts = context.session.attempts()
    for attempt in attempts:
        card = None if attempt.hypothesis is None else attempt.hypothesis.card
        before = attempts[attempt.parent - 1].evaluation.geomean_us if attempt.parent else None
        after = attempt.evaluation.geomean_us
        if card is not None and before is not None and after:
            gains.setdefault(card, []).append(before / after)
    return gains
