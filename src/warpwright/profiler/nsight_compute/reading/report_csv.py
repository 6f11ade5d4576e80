"""Reads what `ncu --import REPORT --csv` prints. Columns are found by the names in the header only."""

from collections.abc import Iterable, Mapping, Sequence

from warpwright.profiler.nsight_compute.reading.csv_table import Table, find_table
from warpwright.profiler.nsight_compute.reading.numbers import Convention, UnclearNumbers, convention_of, parse_number
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
    table, rows = _table(text, (_LAUNCH, _KERNEL))
    units: Row = {}
    if rows and not rows[0].get(_LAUNCH, "").strip():
        units, rows = rows[0], rows[1:]
    metrics = [name for name in table.header if name and name not in _NO_METRICS]
    convention = agreed_convention(table, (row.get(name, "") for row in rows for name in metrics))
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
    table, rows = _table(text, (_LAUNCH, "Rule Name"))
    convention = agreed_convention(table, (row.get("Estimated Speedup", "") for row in rows))
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


def agreed_convention(table: Table, cells: Iterable[str]) -> Convention:
    """How the numbers of a table are written. Raises: UnreadableReport if that cannot be known.

    Between semicolons a comma may be either: nothing is presumed.
    """
    try:
        return convention_of(cells, Convention.POINT if table.delimiter == "," else None)
    except UnclearNumbers as unclear:
        raise UnreadableReport(
            f"Nsight Compute printed numbers that cannot be told apart: {unclear}. Run with LC_ALL=C"
        ) from unclear


def _table(text: str, needed: Sequence[str]) -> tuple[Table, list[dict[str, str]]]:
    """Header, and rows by its columns; rows may be shorter, then their last columns are missing."""
    table = find_table(text, needed)
    if table is None:
        said = " ".join(text.split())[:200] or "nothing"
        raise UnreadableReport(
            f"Nsight Compute printed no table with the columns {', '.join(needed)}; it printed: {said}"
        )
    rows = [row for row in table.rows if len(row) > 1]
    if any(cell for row in rows for cell in row[len(table.header) :]):
        raise UnreadableReport(
            f"Nsight Compute printed rows of more than the {len(table.header)} cells of their header: a comma in a number "
            "cannot be told from one between columns. Run with LC_ALL=C"
        )
    return table, [dict(zip(table.header, row, strict=False)) for row in rows]
