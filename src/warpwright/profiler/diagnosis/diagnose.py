"""From counters to findings. A pure function: the same counters give the same diagnosis, whoever took them."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from warpwright.conditions.language import Amount, Answer, Comparison, Values, parse_amount
from warpwright.profiler.counters import NS_PER_US, Quality
from warpwright.profiler.diagnosis.classes import BottleneckClass, ClassTest, Rank, bottleneck_classes
from warpwright.profiler.diagnosis.figures import figures
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.diagnosis.roof import AT_THE_ROOF, floor_words, too_fast
from warpwright.profiler.diagnosis.situation import Situation
from warpwright.profiler.profile import CaseProfile, LaunchCounters
from warpwright.profiler.worked_out import completed
from warpwright.units import format_us

PROFILE_FACTS = ("launches", "time_estimated", "uncertainty_ratio")
"""Names for classes beside counters and `situation.FACTS`: launches of the plan, whether the time is an estimate (1 or 0), and
how far that may be off.
"""
_TIME = "time_us"
_PROFILED = "duration_ns"
_CASE_BYTES = "compulsory_bytes"

_Ranked = tuple[Rank, Finding]
_Decided = tuple[ClassTest, Answer]
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
    classes = bottleneck_classes().values()
    answers = {each.name: _decided(each, known.values) for each in classes}
    ranked: list[_Ranked] = []
    for bottleneck in classes:
        test, answer = answers[bottleneck.name]
        if answer.holds and not _explained(bottleneck, ranked):
            ranked.append((bottleneck.rank, _finding(bottleneck, test, answer, known)))
    open_classes = [each for each in classes if not answers[each.name][1].holds]
    ranked += list(_hints(open_classes, ranked, known))
    unknown = _not_evaluated(open_classes, answers, ranked)
    findings = tuple(_explained_floor(each, profile, situation) for each in _in_order(ranked))
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
        notes=(*_notes(profile, known, situation), *profile.notes),
        time_source=profile.time_source,
    )


def _known(profile: CaseProfile, situation: Situation) -> _Known:
    counters = completed(profile.main.counters)
    estimated = {name for name, counter in counters.items() if counter.quality is Quality.ESTIMATED}
    facts = situation.facts() | {
        "launches": float(profile.launch_count),
        "time_estimated": float(profile.time_estimated),
    }
    if profile.launch_count > 1:
        facts.pop(_CASE_BYTES, None)  # they are the case's, and say nothing of one launch of several
    if profile.uncertainty_ratio is not None:
        facts["uncertainty_ratio"] = profile.uncertainty_ratio
    return _Known(
        launch=profile.main,
        values={name: counter.value for name, counter in counters.items()} | facts,
        estimated=estimated | ({_TIME} if profile.time_estimated else set()),
        most=_most_to_gain(situation) if profile.launch_count == 1 else None,
    )


def _decided(bottleneck: BottleneckClass, values: Values) -> _Decided:
    """The first test that what is known can decide in full; where each suffices, the first that holds. Hints are left out.

    With none, a no of any of them is a no; else the first one's missing counters are named.
    """
    full = [(test, test.answer(values)) for test in bottleneck.tests if not test.hint]
    if not full:
        return bottleneck.tests[0], Answer(holds=False)
    held = [pair for pair in full if pair[1].holds] if bottleneck.each_suffices else []
    whole = [pair for pair in full if pair[1].holds is not None and not pair[1].unknown]
    return next(iter(held or whole or [pair for pair in full if pair[1].holds is False]), full[0])


def _hints(classes: Iterable[BottleneckClass], ranked: list[_Ranked], known: _Known) -> Iterator[_Ranked]:
    """Weaker signs of classes that do not hold; what speaks of no unit at its limit only where none is and nothing is wrong."""
    limited = any(rank in (Rank.CAUSE, Rank.SYMPTOM) for rank, _ in ranked)
    for bottleneck in classes:
        if _explained(bottleneck, ranked):
            continue
        hints = [test for test in bottleneck.tests if test.hint and not (test.alone and limited)]
        held = ((test, answer) for test in hints if (answer := test.answer(known.values)).holds)
        for test, answer in held:
            yield Rank.HINT, _finding(bottleneck, test, answer, known)
            break


def _not_evaluated(
    classes: Iterable[BottleneckClass], answers: Mapping[str, _Decided], ranked: Iterable[_Ranked]
) -> dict[str, tuple[str, ...]]:
    """Classes that are neither true nor false, with what is unknown; those with a hint say enough."""
    hinted = {finding.bottleneck for _, finding in ranked}
    unknown: dict[str, tuple[str, ...]] = {}
    for bottleneck in classes:
        answer = answers[bottleneck.name][1]
        if answer.holds is None and bottleneck.name not in hinted:
            unknown[bottleneck.kind] = (*unknown.get(bottleneck.kind, ()), *answer.unknown)
    return unknown


def _explained(bottleneck: BottleneckClass, ranked: Iterable[_Ranked]) -> bool:
    return any(rank is not Rank.HINT and finding.kind in bottleneck.unless for rank, finding in ranked)


def _finding(bottleneck: BottleneckClass, test: ClassTest, answer: Answer, known: _Known) -> Finding:
    bound, bound_estimated = _bound(test, known)
    return Finding(
        bottleneck=bottleneck.name,
        score=min(1.0, max(0.0, test.score.least(known.values))),
        evidence=tuple(_labelled(found, known) for found in answer.evidence),
        text=test.sentence(known.values, known.estimated),
        bound=bound,
        hot_lines=tuple(line for line in known.launch.hot_lines if line.counter in bottleneck.lines),
        hint=test.hint,
        bound_estimated=bound_estimated,
        about=_about(test, known),
        about_estimated=test.about is not None and known.rests_on_estimates(test.about),
    )


def _explained_floor(finding: Finding, profile: CaseProfile, situation: Situation) -> Finding:
    """A roof says why the floor is lower."""
    words = floor_words(situation, profile.uncertainty_ratio) if finding.bottleneck == AT_THE_ROOF else ""
    return replace(finding, text=f"{finding.text} {words}") if words else finding


def _labelled(found: Comparison, known: _Known) -> Evidence:
    estimated = known.rests_on_estimates(parse_amount(found.amount))
    return Evidence(found.amount, found.value, found.relation, found.threshold, estimated, found.against)


def _bound(test: ClassTest, known: _Known) -> tuple[float | None, bool]:
    """The most that curing it can bring, and whether that is an estimate; the smaller of the class's and the floor's."""
    own = None if test.bound is None else test.bound.value(known.values)
    if test.bound is None or own is None or (known.most is not None and known.most < own):
        return None if known.most is None else max(1.0, known.most), _TIME in known.estimated and known.most is not None
    return max(1.0, own), known.rests_on_estimates(test.bound)


def _about(test: ClassTest, known: _Known) -> float | None:
    value = None if test.about is None else test.about.value(known.values)
    return None if value is None else max(1.0, value)


def _in_order(ranked: list[_Ranked]) -> tuple[Finding, ...]:
    """By rank; causes, hints, and the units of one class, by score; else in the order of the file."""
    place = {finding.kind: index for index, (_, finding) in reversed(list(enumerate(ranked)))}

    def key(item: _Ranked) -> tuple[int, int, float, str]:
        rank, finding = item
        within = 0 if rank in (Rank.CAUSE, Rank.HINT) else place[finding.kind]
        return _ORDER[rank], within, -finding.score, finding.bottleneck

    return tuple(finding for _, finding in sorted(ranked, key=key))


def _most_to_gain(situation: Situation) -> float | None:
    """No cure beats the floor. One that the time is below already holds nothing."""
    if situation.time_us is None or not situation.floor_us or situation.time_us < situation.floor_us:
        return None
    return situation.time_us / situation.floor_us


def _notes(profile: CaseProfile, known: _Known, situation: Situation) -> tuple[str, ...]:
    faster = _of_a_faster_run(known, situation) if profile.launch_count == 1 else None
    beyond = too_fast(situation, profile.uncertainty_ratio, estimated=profile.time_estimated)
    return tuple(note for note in (profile.reason, faster, beyond) if note is not None)


def _of_a_faster_run(known: _Known, situation: Situation) -> str | None:
    """Said where the profiler saw a launch that was much shorter than the timed ones."""
    profiled_ns, time_us, launch_us = known.values.get(_PROFILED), situation.time_us, situation.launch_us
    if profiled_ns is None or time_us is None or launch_us is None or known.estimated & {_PROFILED, _TIME}:
        return None
    profiled_us = profiled_ns / NS_PER_US
    if time_us <= figures().timed_over_profiled_ratio * (profiled_us + launch_us):
        return None
    return (
        f"the case takes {format_us(time_us)}, but its launch took {format_us(profiled_us)} under the profiler: what the "
        "counters say is true of that run (other clocks, a warmer cache, nobody else on the GPU), not of the timed ones"
    )
