"""Attempt x case: how fast each attempt was on each perf case, against the initial kernel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from warpwright.record.attempt import Attempt
from warpwright.report.findings import Findings, median_us
from warpwright.report.words import ratio_text, time_text
from warpwright.workload.model import CaseKind

LEVELS = 4
"""Shades on each side of `as fast as the initial kernel`."""
_PER_LEVEL = 2.0
"""Each shade is this much faster or slower than the one before."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One attempt on one case. level: -4 (8x slower or worse) .. 4 (8x faster or better); None = no time."""

    text: str
    title: str
    level: int | None


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One attempt; failed attempts have a label and no cells."""

    number: int
    label: str
    incumbent: bool
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Perf cases as columns, attempts as rows, in order."""

    cases: Sequence[str]
    rows: Sequence[HeatRow]


def heatmap(found: Findings) -> Heatmap | None:
    """The heatmap of a session; None if nothing has a time."""
    cases = _timed_cases(found)
    if not cases:
        return None
    initial = {} if found.initial is None else {c.name: median_us(c) for c in found.initial.evaluation.cases}
    return Heatmap(cases, [_row(attempt, cases, initial, found) for attempt in found.attempts])


def level(speedup: float) -> int:
    """Shade of a speed-up: 0 within a factor of sqrt(2) of the initial kernel."""
    return max(-LEVELS, min(LEVELS, round(math.log(speedup, _PER_LEVEL))))


def _timed_cases(found: Findings) -> list[str]:
    names: dict[str, None] = {}
    for attempt in found.attempts:
        for case in attempt.evaluation.cases:
            if case.kind is CaseKind.PERF and case.timing is not None:
                names.setdefault(case.name)
    return list(names)


def _row(attempt: Attempt, cases: Sequence[str], initial: dict[str, float | None], found: Findings) -> HeatRow:
    times = {case.name: median_us(case) for case in attempt.evaluation.cases}
    cells = [_cell(times.get(name), initial.get(name), estimated=found.estimated) for name in cases]
    return HeatRow(
        number=attempt.number,
        label=attempt.evaluation.label,
        incumbent=attempt.number in found.incumbents,
        cells=cells if attempt.evaluation.outcome.correct else (),
    )


def _cell(us: float | None, initial_us: float | None, *, estimated: bool) -> Cell:
    if us is None:
        return Cell("-", "not timed", None)
    speedup = initial_us / us if initial_us else None
    title = time_text(us, estimated=estimated)
    if speedup is not None:
        title += f", {ratio_text(speedup)} as fast as the initial kernel"
    return Cell(time_text(us, estimated=False), title, None if speedup is None else level(speedup))
