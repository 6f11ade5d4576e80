"""From counters to findings. A pure function: the same counters give the same diagnosis, whoever took them."""

from collections.abc import Iterable

from warpwright.profiler.diagnosis.classes import BottleneckClass, ClassTest, Rank, bottleneck_classes
from warpwright.profiler.diagnosis.expression import Answer, Values
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Finding
from warpwright.profiler.diagnosis.situation import Situation
from warpwright.profiler.profile import CaseProfile, HotLine

AT_THE_ROOF = "at_the_roof"

_Ranked = tuple[Rank, Finding]
_ORDER = {rank: place for place, rank in enumerate(Rank)}


def diagnose_case(profile: CaseProfile, situation: Situation) -> CaseDiagnosis:
    """What limits the longest launch of a case, in order of treatment.

    A class whose counters are unknown is neither true nor false: it stands under `not_evaluated` with their names.
    """
    launch = profile.main
    values = {name: counter.value for name, counter in launch.counters.items()} | situation.facts()
    most = _most_to_gain(situation) if len(profile.launches) == 1 else None
    ranked: list[_Ranked] = []
    unknown: dict[str, tuple[str, ...]] = {}
    for bottleneck in bottleneck_classes().values():
        test, answer = _decided(bottleneck.tests, values)
        if answer.holds and not _explained(bottleneck, ranked):
            rank = Rank.HINT if test.hint else bottleneck.rank
            ranked.append((rank, _finding(bottleneck, (test, answer), values, most, launch.hot_lines)))
        elif answer.holds is None:
            unknown[bottleneck.kind] = (*unknown.get(bottleneck.kind, ()), *answer.unknown)
    findings = _in_order(ranked)
    return CaseDiagnosis(
        case=profile.case,
        entry=launch.entry,
        tool=profile.tool,
        estimated=profile.estimated,
        findings=findings,
        not_evaluated=unknown,
        at_roof=any(finding.bottleneck == AT_THE_ROOF for finding in findings),
        time_us=situation.time_us,
        floor_us=situation.floor_us,
        floor_binding=situation.floor_binding,
        notes=(*_notes(profile), *profile.notes),
    )


def _decided(tests: tuple[ClassTest, ...], values: Values) -> tuple[ClassTest, Answer]:
    """The first test that what is known can decide in full; a hint only where the others do not hold.

    With none, a no of any of them is a no; else the first one's missing counters are named.
    """
    answers = [(test, test.when.answer(values)) for test in tests]
    full = [pair for pair in answers if not pair[0].hint]
    whole = [pair for pair in full if pair[1].holds is not None and not pair[1].unknown]
    decided = next(iter(whole or [pair for pair in full if pair[1].holds is False]), full[0])
    if decided[1].holds:
        return decided
    return next((pair for pair in answers if pair[0].hint and pair[1].holds), decided)


def _explained(bottleneck: BottleneckClass, ranked: Iterable[_Ranked]) -> bool:
    return any(rank is not Rank.HINT and finding.kind in bottleneck.unless for rank, finding in ranked)


def _finding(
    bottleneck: BottleneckClass,
    decided: tuple[ClassTest, Answer],
    values: Values,
    most: float | None,
    hot_lines: tuple[HotLine, ...],
) -> Finding:
    test, answer = decided
    bound = None if test.bound is None else test.bound.value(values)
    limits = [limit for limit in (bound, most) if limit is not None]
    return Finding(
        bottleneck=bottleneck.name,
        score=min(1.0, max(0.0, test.score.least(values))),
        evidence=answer.evidence,
        text=test.sentence(values),
        bound=max(1.0, min(limits)) if limits else None,
        hot_lines=tuple(line for line in hot_lines if line.counter in bottleneck.lines),
        hint=test.hint,
    )


def _in_order(ranked: list[_Ranked]) -> tuple[Finding, ...]:
    """By rank; causes, and the units of one class, by score; else in the order of the file."""
    place = {finding.kind: index for index, (_, finding) in reversed(list(enumerate(ranked)))}

    def key(item: _Ranked) -> tuple[int, int, float, str]:
        rank, finding = item
        within = 0 if rank is Rank.CAUSE else place[finding.kind]
        return _ORDER[rank], within, -finding.score, finding.bottleneck

    return tuple(finding for _, finding in sorted(ranked, key=key))


def _most_to_gain(situation: Situation) -> float | None:
    """No cure beats the floor."""
    if situation.time_us is None or not situation.floor_us:
        return None
    return situation.time_us / situation.floor_us


def _notes(profile: CaseProfile) -> tuple[str, ...]:
    return () if profile.reason is None else (profile.reason,)
