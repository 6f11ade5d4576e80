"""Reads what `ncu --import REPORT --csv` prints. Columns are found by the names in the header only."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from warpwright.profiler.nsight_compute.reading.numbers import Convention, MixedNumbers, convention_of, parse_number
from warpwright.profiler.nsight_compute.reading.report import ReportLaunch, UnreadableReport, without_markers
from warpwright.profiler.profile import RawMetric, RuleResult

_LAUNCH = "ID"
_KERNEL = "Kernel Name"
_NO_METRICS = frozenset(
    {_LAUNCH, "Process ID", "Process Name", "Host Name", _KERNEL, "Kernel Time", "Context", "Stream", "Block Size"}
    | {
        "Grid Size",
        "Device",
        "CC",
        "Section Name",
        "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
    }
)
"""Columns that describe the launch."""
_KINDS = {"inf": "info", "opt": "optimization", "wrn": "warning", "err": "error"}
_SCOPES = frozenset({"global", "local"})
Row = Mapping[str, str]


def read_raw(text: str) -> tuple[ReportLaunch, ...]:
    """The page `raw`: one row for each launch, below a row of units. Raises: UnreadableReport."""
    header, rows = _table(text, (_LAUNCH, _KERNEL))
    units: Row = {}
    if rows and not rows[0].get(_LAUNCH, "").strip():
        units, rows = rows[0], rows[1:]
    metrics = [name for name in header if name and name not in _NO_METRICS]
    convention = _convention(row.get(name, "") for row in rows for name in metrics)
    launches = [
        ReportLaunch(row.get(_KERNEL, ""), {n: _raw(row[n], units.get(n, ""), convention) for n in metrics if n in row})
        for row in rows
        if row.get(_LAUNCH, "").strip().isdecimal()
    ]
    if not launches or not any(launch.raw for launch in launches):
        raise UnreadableReport(
            "Nsight Compute printed no launch with metrics: the report is empty, cut short or no report"
        )
    return tuple(launches)


def read_rules(text: str) -> tuple[tuple[RuleResult, ...], ...]:
    """The page `details`: what the rules say, by launch, in the order of the report. Raises: UnreadableReport."""
    _, rows = _table(text, (_LAUNCH, "Rule Name"))
    convention = _convention(row.get("Estimated Speedup", "") for row in rows)
    by_launch: dict[str, list[RuleResult]] = {}
    for row in rows:
        found = by_launch.setdefault(row.get(_LAUNCH, ""), [])
        if row.get("Rule Name", "").strip():
            found.append(_rule(row, convention))
    return tuple(tuple(found) for found in by_launch.values())


def _rule(row: Row, convention: Convention) -> RuleResult:
    word = row.get("Rule Type", "").strip().lower()
    scope = row.get("Estimated Speedup Type", "").strip().lower()
    known = scope in _SCOPES
    return RuleResult(
        rule=row["Rule Name"].strip(),
        title=row.get("Section Name", "").strip() or row["Rule Name"].strip(),
        message=without_markers(row.get("Rule Description", "")),
        kind=_KINDS.get(word[:3], "info"),
        scope=scope if known else None,
        speedup_percent=parse_number(row.get("Estimated Speedup", ""), convention) if known else None,
    )


def _raw(text: str, unit: str, convention: Convention) -> RawMetric:
    """A number where it is one; anything else as it stands, so that nothing is lost."""
    number = parse_number(text, convention)
    return RawMetric(text.strip() if number is None else number, unit.strip())


def _convention(cells: Iterator[str]) -> Convention:
    try:
        return convention_of(cells)
    except MixedNumbers as mixed:
        raise UnreadableReport(
            f"Nsight Compute printed numbers that cannot be told apart: {mixed}. Run with LC_ALL=C"
        ) from mixed


def _table(text: str, needed: Sequence[str]) -> tuple[list[str], list[dict[str, str]]]:
    """Header and rows below it; rows may be shorter than the header, then their last columns are missing."""
    lines = list(_records(text))
    for number, line in enumerate(lines):
        if all(name in line for name in needed):
            return line, [dict(zip(line, row, strict=False)) for row in lines[number + 1 :] if len(row) > 1]
    wanted = ", ".join(needed)
    said = " ".join(text.split())[:200] or "nothing"
    raise UnreadableReport(f"Nsight Compute printed no table with the columns {wanted}; it printed: {said}")


def _records(text: str) -> Iterator[list[str]]:
    """Rows of the file; lines that begin with `==` are messages. Some locales put semicolons between columns."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("=="))
    head = body[:4096]
    delimiter = ";" if head.count('";"') > head.count('","') else ","
    csv.field_size_limit(1 << 24)
    try:
        yield from csv.reader(io.StringIO(body), delimiter=delimiter)
    except csv.Error as error:
        raise UnreadableReport(f"what Nsight Compute printed is no CSV: {error}") from error
