"""From counters to findings. A pure function: the same counters give the same diagnosis, whoever took them."""

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace

from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.classes import BottleneckClass, ClassTest, Rank, bottleneck_classes
from warpwright.profiler.diagnosis.expression import Amount, Answer, Values, parse_amount
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.diagnosis.situation import Situation
from warpwright.profiler.profile import CaseProfile, LaunchCounters

AT_THE_ROOF = "at_the_roof"
_TIME = "time_us"

_Ranked = tuple[Rank, Finding]
_ORDER = {rank: place for place, rank in enumerate(Rank)}


@dataclass(frozen=True, slots=True)
class _Known:
    """What classes are held against. estimated: names whose values are estimates. most: largest gain that the floor leaves,
    None unknown. launch: the one that is judged.
    """

    launch: LaunchCounters
    values: Values
    estimated: Set[str]
    most: float | None

    def rests_on_estimates(self, amount: Amount) -> bool:
        """Whether an amount uses a name whose value is an estimate."""
        return not self.estimated.isdisjoint(amount.names)


def diagnose_case(profile: CaseProfile, situation: Situation) -> CaseDiagnosis:
    """What limits the longest launch of a case, in order of treatment.

    A class whose counters are unknown is neither true nor false: it stands under `not_evaluated` with their names.
    """
    known = _known(profile, situation)
    ranked: list[_Ranked] = []
    unknown: dict[str, tuple[str, ...]] = {}
    for bottleneck in bottleneck_classes().values():
        test, answer = _decided(bottleneck.tests, known.values)
        if answer.holds and not _explained(bottleneck, ranked):
            rank = Rank.HINT if test.hint else bottleneck.rank
            ranked.append((rank, _finding(bottleneck, test, answer, known)))
        elif answer.holds is None:
            unknown[bottleneck.kind] = (*unknown.get(bottleneck.kind, ()), *answer.unknown)
    findings = _in_order(ranked)
    return CaseDiagnosis(
        case=profile.case,
        entry=known.launch.entry,
        tool=profile.tool,
        estimated=profile.estimated,
        findings=findings,
        not_evaluated=unknown,
        at_roof=any(finding.bottleneck == AT_THE_ROOF for finding in findings),
        time_us=situation.time_us,
        floor_us=situation.floor_us,
        floor_binding=situation.floor_binding,
        notes=(*_notes(profile), *profile.notes),
        time_source=profile.time_source,
    )


def _known(profile: CaseProfile, situation: Situation) -> _Known:
    counters = profile.main.counters
    estimated = {name for name, counter in counters.items() if counter.quality is Quality.ESTIMATED}
    return _Known(
        launch=profile.main,
        values={name: counter.value for name, counter in counters.items()} | situation.facts(),
        estimated=estimated | ({_TIME} if profile.time_estimated else set()),
        most=_most_to_gain(situation) if profile.launch_count == 1 else None,
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


def _finding(bottleneck: BottleneckClass, test: ClassTest, answer: Answer, known: _Known) -> Finding:
    bound, bound_estimated = _bound(test, known)
    return Finding(
        bottleneck=bottleneck.name,
        score=min(1.0, max(0.0, test.score.least(known.values))),
        evidence=tuple(_labelled(evidence, known) for evidence in answer.evidence),
        text=test.sentence(known.values, known.estimated),
        bound=bound,
        hot_lines=tuple(line for line in known.launch.hot_lines if line.counter in bottleneck.lines),
        hint=test.hint,
        bound_estimated=bound_estimated,
    )


def _labelled(evidence: Evidence, known: _Known) -> Evidence:
    return replace(evidence, estimated=known.rests_on_estimates(parse_amount(evidence.counter)))


def _bound(test: ClassTest, known: _Known) -> tuple[float | None, bool]:
    """The most that curing it can bring, and whether that is an estimate; the smaller of the class's and the floor's."""
    own = None if test.bound is None else test.bound.value(known.values)
    if test.bound is None or own is None or (known.most is not None and known.most < own):
        return None if known.most is None else max(1.0, known.most), _TIME in known.estimated and known.most is not None
    return max(1.0, own), known.rests_on_estimates(test.bound)


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
