"""Reads the page `source` of `ncu --import REPORT --csv`: what was counted on each line of the CUDA source."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from warpwright.profiler.nsight_compute.reading.csv_table import Table, find_table
from warpwright.profiler.nsight_compute.reading.hot_lines import line_metrics
from warpwright.profiler.nsight_compute.reading.numbers import parse_number
from warpwright.profiler.nsight_compute.reading.report import LineValue
from warpwright.profiler.nsight_compute.reading.report_csv import agreed_convention

_NUMBER_COLUMNS = ("#", "Line No", "Line", "Line Number")
_TEXT_COLUMN = "Source"
_ADDRESS_COLUMN = "Address"
_NO_ADDRESS = ("", "-")


@dataclass(slots=True)
class _Launch:
    """Columns that are wanted, and of each source line what stands in them."""

    number: str
    columns: tuple[str, ...]
    lines: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)

    def take(self, row: Mapping[str, str]) -> None:
        """Machine instructions are left out at once: a page may have a million."""
        line = row.get(self.number, "").strip()
        if line.isdecimal() and row.get(_ADDRESS_COLUMN, "").strip() in _NO_ADDRESS:
            self.lines.append((int(line), tuple(row.get(column, "") for column in self.columns)))


def read_lines(text: str) -> tuple[tuple[LineValue, ...], ...]:
    """Values by launch, in the order of the report; empty where the page has another form than is known.

    A table begins with a header that has `Source` and a column of line numbers; rows of machine instructions, which have an
    address there, are left out, since a line's row holds their sum. Raises: UnreadableReport.
    """
    table = find_table(text, (_TEXT_COLUMN,))
    return () if table is None else tuple(_values(table, launch) for launch in _launches(table))


def _launches(table: Table) -> list[_Launch]:
    wanted = {column for each in line_metrics().values() for column in (*each.columns, *each.lanes)}
    found: list[_Launch] = []
    header: Sequence[str] = ()
    for record in chain((table.header,), table.rows):
        number = next((name for name in _NUMBER_COLUMNS if name in record), None)
        if _TEXT_COLUMN in record and number is not None:
            header = record
            found.append(_Launch(number, tuple(name for name in header if name in wanted)))
        elif found and len(record) > 1:
            found[-1].take(dict(zip(header, record, strict=False)))
    return found


def _values(table: Table, launch: _Launch) -> tuple[LineValue, ...]:
    convention = agreed_convention(table, (cell for _, cells in launch.lines for cell in cells))

    def each() -> Iterator[LineValue]:
        for line, cells in launch.lines:
            for column, cell in zip(launch.columns, cells, strict=True):
                value = parse_number(cell, convention)
                if value:
                    yield LineValue(line, column, value)

    return tuple(each())
