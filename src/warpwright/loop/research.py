"""Guidance on a diagnosis, from what the session knows."""

from collections.abc import Mapping, Sequence

from warpwright.evaluation.judgement import advise
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.knowledge.field_guide.history import Results
from warpwright.loop.context import LoopContext
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.record.attempt import Attempt
from warpwright.record.evidence import times_from


def look_up(context: LoopContext, number: int, diagnosis: AttemptDiagnosis) -> Guidance | None:
    """What is advised on the target of an attempt; None if it has none."""
    session, target = context.session, diagnosis.target
    profile = next((p for p in (session.profiles(number) or ()) if p.case == diagnosis.target_case), None)
    if target is None or profile is None:
        return None
    known = {} if context.history is None else context.history.card_gains
    results = results_of(session.attempts(), known, measured=context.bench.evaluator.measures)
    return advise(session.workload, context.bench.device.spec, profile, target, context.documents, results)


def results_of(attempts: Sequence[Attempt], known: Mapping[str, Sequence[float]], *, measured: bool) -> Results:
    """Card -> speed-ups over its parent of every correct attempt that carried it out, and what it brought in other sessions.

    attempts: of one session, all of them. known: from other sessions, by times of the same source. measured: that source;
    attempts whose times are of the other one are left out.
    """
    gains = {card: list(brought) for card, brought in known.items()}
    for attempt in attempts:
        card = None if attempt.hypothesis is None else attempt.hypothesis.card
        if card is None or not attempt.parent:
            continue
        parent = attempts[attempt.parent - 1]
        before, after = (_time_us(each, measured=measured) for each in (parent, attempt))
        if before and after:
            gains.setdefault(card, []).append(before / after)
    return Results(gains, measured)


def _time_us(attempt: Attempt, *, measured: bool) -> float | None:
    source = times_from([attempt.evaluation])
    if source is None or source.estimated is measured:
        return None
    return attempt.evaluation.geomean_us
