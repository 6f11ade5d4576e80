"""Each attempt as a story: what was tried and why, what came of it, and why it failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warpwright.evaluation.outcome import CaseEvaluation
from warpwright.profiler.counters import Quality, format_counter, metrics
from warpwright.record.attempt import Attempt
from warpwright.record.evidence import compile_errors, kernel_resources
from warpwright.report.diagnosis import diagnosis_line
from warpwright.report.expectation import Expectation, expectations, mean_counters
from warpwright.report.findings import Findings
from warpwright.report.limits import UNKNOWN_COUNTER, Limits, Link, cited
from warpwright.units import labelled
from warpwright.workload.values import Mismatch

_SHOWN_DIAGNOSTICS = 8
_SHOWN_LINES_AROUND = 2


@dataclass(frozen=True, slots=True)
class CounterRow:
    """One expected counter in words; `before` and `after` with their unit."""

    expectation: Expectation
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WrongCase:
    """A case that failed, with its first wrong elements."""

    name: str
    message: str
    first: Sequence[Mismatch]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the candidate near its fault."""

    number: int
    text: str
    blamed: bool


@dataclass(frozen=True, slots=True)
class Story:
    """One attempt. state: `best`, `incumbent`, `correct` or `failed`. limits: None if it was not diagnosed; limit: in a line.

    counters: what became of its hypothesis by the timed cases, where no profile says it. sources: what it cites.
    """

    attempt: Attempt
    state: str
    idea: str
    speedup: float | None
    counters: Sequence[CounterRow]
    wrong: Sequence[WrongCase]
    diagnostics: Sequence[str]
    source: Sequence[SourceLine]
    resources: str
    point: str
    limits: Limits | None
    limit: str
    sources: Sequence[Link]


def attempt_stories(found: Findings, limits: Mapping[int, Limits]) -> Sequence[Story]:
    """Every attempt of a session, in order. limits: attempt -> what limits it, where that is known."""
    known = cited(limits)
    return [_story(attempt, found, limits.get(attempt.number), known) for attempt in found.attempts]


def _story(attempt: Attempt, found: Findings, limits: Limits | None, known: Mapping[str, Link]) -> Story:
    evaluation = attempt.evaluation
    return Story(
        attempt=attempt,
        state=_state(attempt, found),
        idea="initial kernel" if attempt.hypothesis is None else attempt.hypothesis.technique,
        speedup=found.speedup_of(attempt),
        counters=[] if limits is not None and limits.checks else _counters(attempt, found),
        wrong=[_wrong(case) for case in evaluation.cases if case.passed is False],
        diagnostics=_diagnostics(attempt),
        source=_source(attempt),
        resources=_resources(attempt),
        point=", ".join(f"{name} = {value}" for name, value in sorted(attempt.candidate.values().items())),
        limits=limits,
        limit="" if limits is None else diagnosis_line(limits.diagnosis),
        sources=_sources(attempt, known),
    )


def _state(attempt: Attempt, found: Findings) -> str:
    if found.best is not None and attempt.number == found.best.number:
        return "best"
    if attempt.number in found.incumbents:
        return "incumbent"
    return "correct" if attempt.evaluation.outcome.correct else "failed"


def _sources(attempt: Attempt, known: Mapping[str, Link]) -> list[Link]:
    """What an attempt cites; an id that no look-up is on record for keeps to itself."""
    ids = () if attempt.hypothesis is None else attempt.hypothesis.citations
    return [known.get(each, Link(each, each, None, "")) for each in ids]


def _counters(attempt: Attempt, found: Findings) -> list[CounterRow]:
    parent = found.parent_of(attempt)
    old = {} if parent is None else mean_counters(parent.evaluation)
    new = mean_counters(attempt.evaluation)
    return [
        CounterRow(
            expectation=expectation,
            before=_figure(expectation.counter, old, found),
            after=_figure(expectation.counter, new, found),
        )
        for expectation in expectations(attempt, parent)
    ]


def _figure(name: str, values: Mapping[str, float], found: Findings) -> str:
    """A mean with its unit. Where times are estimates the emulator counted, and what it only estimates says so."""
    if name not in values:
        return UNKNOWN_COUNTER
    estimated = found.estimated and name in metrics() and metrics()[name].emulator in (None, Quality.ESTIMATED)
    return labelled(format_counter(name, values[name]), estimated=estimated)


def _wrong(case: CaseEvaluation) -> WrongCase:
    return WrongCase(case.name, case.message, [m for comparison in case.comparisons for m in comparison.first])


def _diagnostics(attempt: Attempt) -> list[str]:
    placed = [
        f"{d.file}{'' if d.line is None else f'({d.line})'}: {d.severity}: {d.message}"
        for d in compile_errors(attempt.evaluation)
    ]
    placed = [text for text in placed if text not in attempt.evaluation.message]
    left = len(placed) - _SHOWN_DIAGNOSTICS
    return [*placed[:_SHOWN_DIAGNOSTICS], *([f"and {left} more"] if left > 0 else [])]


def _source(attempt: Attempt) -> list[SourceLine]:
    line = attempt.evaluation.line
    if line is None or attempt.evaluation.outcome.correct:
        return []
    lines = attempt.candidate.source.splitlines()
    numbers = range(max(1, line - _SHOWN_LINES_AROUND), min(len(lines), line + _SHOWN_LINES_AROUND) + 1)
    return [SourceLine(number, lines[number - 1], blamed=number == line) for number in numbers]


def _resources(attempt: Attempt) -> str:
    parts = []
    for entry, resources in kernel_resources(attempt.evaluation).items():
        figures = (
            ("registers a thread", resources.registers),
            ("bytes of static shared memory", resources.shared_static_bytes),
            ("bytes spilled", resources.spill_store_bytes),
        )
        parts.append(f"{entry}: " + ", ".join(f"{value} {what}" for what, value in figures if value is not None))
    which = f" (compiled for case {attempt.evaluation.cases[0].name})" if attempt.candidate.compiled_by_case else ""
    return "; ".join(parts) + which if parts else ""
