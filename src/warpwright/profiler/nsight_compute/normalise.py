"""From a report to counters of the common vocabulary, launch by launch of the plan."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from warpwright.profiler.counters import Quality
from warpwright.profiler.nsight_compute.formula import Unknown, evaluate, formulas
from warpwright.profiler.nsight_compute.reading.hot_lines import hot_lines
from warpwright.profiler.nsight_compute.reading.report import Report, ReportLaunch
from warpwright.profiler.profile import Counter, LaunchCounters, Source


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """One launch of the plan: the entry as the candidate names it, the symbol as the driver knows it."""

    entry: str
    symbol: str


@dataclass(frozen=True, slots=True)
class Normalised:
    """launches: those of the plan that were profiled. missing: as in `CaseProfile`, of the longest launch."""

    launches: tuple[LaunchCounters, ...]
    missing: MappingProxyType[str, str]
    notes: tuple[str, ...]


def normalised(report: Report, plan: Sequence[PlannedLaunch], gone: frozenset[str], where: str) -> Normalised:
    """The report in the words of the vocabulary. gone: metrics that do not exist. where: on what, for messages."""
    placed = list(_placed(report, plan))
    launches = tuple(_counted(position, plan[position].entry, launch) for position, launch in placed)
    notes = list(report.notes)
    if len(report.launches) != len(placed):
        strange = len(report.launches) - len(placed)
        notes.append(
            f"{strange} of {len(report.launches)} profiled launches are none of the candidate's and are left out"
        )
    longest = max(
        zip(launches, placed, strict=True), key=lambda pair: pair[0].value("duration_ns") or 0.0, default=None
    )
    missing = {} if longest is None else _missing(longest[0], longest[1][1], gone, where)
    return Normalised(launches, MappingProxyType(missing), tuple(notes))


def _placed(report: Report, plan: Sequence[PlannedLaunch]) -> Iterator[tuple[int, ReportLaunch]]:
    """Launches run in the order of the plan; one that is missing in the report shifts nothing."""
    position = 0
    for launch in report.launches:
        names = [each.symbol for each in plan[position:]]
        if launch.name in names:
            position += names.index(launch.name)
        elif len(report.launches) != len(plan) or not _same_function(launch.name, plan[position].symbol):
            continue
        yield position, launch
        position += 1
        if position == len(plan):
            return


def _same_function(name: str, symbol: str) -> bool:
    """Readers that know no symbols name the function, `void part::scale<4>(float *)`: its last name is in the symbol."""
    function = re.split(r"[<(]", name)[0].split("::")[-1].split()
    return bool(function) and function[-1] in symbol


def _counted(position: int, entry: str, launch: ReportLaunch) -> LaunchCounters:
    values = {name: evaluate(name, launch.raw) for name in formulas()}
    counters = {
        name: Counter(value, Source.NCU, Quality.MEASURED)
        for name, value in values.items()
        if not isinstance(value, Unknown)
    }
    return LaunchCounters(position, entry, counters, launch.rules, hot_lines(launch.lines), dict(launch.raw))


def _missing(counted: LaunchCounters, launch: ReportLaunch, gone: frozenset[str], where: str) -> dict[str, str]:
    """Reasons for what this launch does not have, where there are any."""
    reasons: dict[str, str] = {}
    for name, formula in formulas().items():
        if name in counted.counters:
            continue
        value = evaluate(name, launch.raw)
        lost = next((way for way in formula.ways if gone.issuperset(way)), None)
        if isinstance(value, Unknown) and value.why is not None:
            reasons[name] = value.why
        elif lost is not None:
            reasons[name] = f"{' and '.join(lost)} does not exist on {where}"
    return reasons
