"""Guidance on a diagnosis, from what the session knows."""

from warpwright.knowledge.field_guide.card import Guidance
from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.loop.context import LoopContext
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.profiler.diagnosis.situation import situation_of
from warpwright.proposer.strategist.evidence import target_counters


def look_up(context: LoopContext, number: int, diagnosis: AttemptDiagnosis) -> Guidance:
    """What is advised on the target of an attempt; it must have one."""
    session, gpu = context.session, context.bench.device.spec
    target = diagnosis.target
    assert target is not None
    finding = target.target
    assert finding is not None
    case = next(case for case in session.workload.cases if case.name == target.case)
    facts = situation_of(session.workload, case, gpu, target.time_us).facts()
    counters = {**facts, **target_counters(diagnosis, session.profiles(number))}
    return guidance_for(finding.bottleneck, counters, gpu.arch, finding.bound, context.documents, _gains(context))


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
