"""What limits an attempt, as the HTML report shows it: units, findings, the fate of its hypothesis, advice with links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warpwright.knowledge.citation import Citation
from warpwright.knowledge.field_guide.card import Advice, Guidance
from warpwright.profiler.counters import Quality, format_counter
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, CaseDiagnosis, CounterChange, ExpectationCheck
from warpwright.profiler.profile import CaseProfile, RuleResult
from warpwright.record.attempt import Attempt
from warpwright.record.session import Session
from warpwright.report.profile.bars import UnitBars, unit_bars
from warpwright.report.profile.phrases import gain_text, not_evaluated_text, notes_of, telling_rules
from warpwright.units import labelled

UNKNOWN_COUNTER = "unknown"
INDEX = "index"
"""`Guidance.rung` where documents were indexed."""

_SHOWN_CHANGES = 12
_LINKED = ("https://", "http://")


@dataclass(frozen=True, slots=True)
class CaseLimits:
    """One profiled case. profile, units: None if only the diagnosis is on record."""

    diagnosis: CaseDiagnosis
    profile: CaseProfile | None
    units: UnitBars | None
    rules: Sequence[RuleResult]
    notes: Sequence[str]
    not_evaluated: str


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A counter that the hypothesis named; `before` and `after` with their unit."""

    check: ExpectationCheck
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A counter that moved; `before` and `after` with their unit."""

    change: CounterChange
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Link:
    """A citation. href: only web addresses; place: where it lies on the disk that wrote the report, else empty."""

    id: str
    text: str
    href: str | None
    place: str


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """A card of the field guide that treats the target. gain: empty where it is not known beforehand."""

    advice: Advice
    gain: str
    links: Sequence[Link]


@dataclass(frozen=True, slots=True)
class Limits:
    """A diagnosed attempt. target: the case to treat; others: the rest. advice: on the target's finding."""

    number: int
    diagnosis: AttemptDiagnosis
    target: CaseLimits | None
    others: Sequence[CaseLimits]
    checks: Sequence[CheckRow]
    changes: Sequence[ChangeRow]
    guidance: Guidance | None
    advice: Sequence[AdviceRow]


def session_limits(session: Session, attempts: Sequence[Attempt]) -> Mapping[int, Limits]:
    """Attempt -> what limits it; attempts that were not diagnosed are absent."""
    found: dict[int, Limits] = {}
    profiles: dict[int, Mapping[str, CaseProfile]] = {}
    for attempt in attempts:
        diagnosis = session.diagnosis(attempt.number)
        if diagnosis is None:
            continue
        profiles[attempt.number] = {profile.case: profile for profile in session.profiles(attempt.number) or ()}
        before = profiles.get(diagnosis.parent, {}).get(diagnosis.compared_case or "")
        found[attempt.number] = _limits(session, diagnosis, attempt.number, profiles[attempt.number], before)
    return found


def cited(limits: Mapping[int, Limits]) -> Mapping[str, Link]:
    """Every citation that a look-up of the session returned, by id."""
    guidance = [each.guidance for each in limits.values() if each.guidance is not None]
    return {citation.id: link_of(citation) for each in guidance for citation in each.citations}


def advised_cards(limits: Mapping[int, Limits]) -> Sequence[AdviceRow]:
    """Every card that the session was advised, once, in the order of ids."""
    rows = {row.advice.card.id: row for each in limits.values() for row in each.advice}
    return [rows[card] for card in sorted(rows)]


def link_of(citation: Citation) -> Link:
    """A citation as a link; an address that is no web address stays text."""
    href = citation.url if citation.url is not None and citation.url.startswith(_LINKED) else None
    place = "" if href is not None else citation.path or citation.url or ""
    return Link(citation.id, citation.text, href, place)


def _limits(
    session: Session,
    diagnosis: AttemptDiagnosis,
    number: int,
    profiles: Mapping[str, CaseProfile],
    before: CaseProfile | None,
) -> Limits:
    cases = [_case(case, profiles.get(case.case)) for case in diagnosis.cases]
    own = profiles.get(diagnosis.compared_case or "")
    guidance = session.guidance(number)
    return Limits(
        number=number,
        diagnosis=diagnosis,
        target=next((case for case in cases if case.diagnosis.case == diagnosis.target_case), None),
        others=[case for case in cases if case.diagnosis.case != diagnosis.target_case],
        checks=[
            CheckRow(check, _counter(before, check.counter), _counter(own, check.counter)) for check in diagnosis.checks
        ],
        changes=[_change(change, before, own) for change in diagnosis.against_parent[:_SHOWN_CHANGES]],
        guidance=guidance,
        advice=[] if guidance is None else [_advice(advice, diagnosis) for advice in guidance.advice],
    )


def _case(diagnosis: CaseDiagnosis, profile: CaseProfile | None) -> CaseLimits:
    return CaseLimits(
        diagnosis=diagnosis,
        profile=profile,
        units=None if profile is None else unit_bars(profile.main),
        rules=[] if profile is None else telling_rules(profile.main.rules),
        notes=notes_of(profile, diagnosis),
        not_evaluated=not_evaluated_text(diagnosis),
    )


def _counter(profile: CaseProfile | None, name: str) -> str:
    value = None if profile is None else profile.main.value(name)
    return UNKNOWN_COUNTER if value is None else _figure(profile, name, value)


def _change(change: CounterChange, before: CaseProfile | None, after: CaseProfile | None) -> ChangeRow:
    name = change.counter
    return ChangeRow(change, _figure(before, name, change.before), _figure(after, name, change.after))


def _figure(profile: CaseProfile | None, name: str, value: float) -> str:
    """A value with its unit; an estimate says so. Without its profile how it was come by is unknown, and nothing is said."""
    counter = None if profile is None else profile.main.counters.get(name)
    estimated = counter is not None and counter.quality is Quality.ESTIMATED
    return labelled(format_counter(name, value), estimated=estimated)


def _advice(advice: Advice, diagnosis: AttemptDiagnosis) -> AdviceRow:
    target = None if diagnosis.target is None else diagnosis.target.target
    links = [link_of(citation) for citation in advice.citations if citation.id != advice.card.id]
    return AdviceRow(advice, gain_text(advice, target), links)
