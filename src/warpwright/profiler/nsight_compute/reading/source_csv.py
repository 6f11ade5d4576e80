"""Reads the page `source` of `ncu --import REPORT --csv`: what was counted on each line of the CUDA source."""

import csv
import io
from collections.abc import Mapping, Sequence

from warpwright.profiler.nsight_compute.reading.hot_lines import line_metrics
from warpwright.profiler.nsight_compute.reading.numbers import convention_of, parse_number
from warpwright.profiler.nsight_compute.reading.report import LineValue

_NUMBER_COLUMNS = ("#", "Line No", "Line", "Line Number")
_TEXT_COLUMN = "Source"
_ADDRESS_COLUMN = "Address"


def read_lines(text: str) -> tuple[tuple[LineValue, ...], ...]:
    """Values by launch, in the order of the report; empty where the page has another form than is known.

    A table begins with a header that has `Source` and a column of line numbers; rows of machine instructions, which have an
    address there, are left out, since a line's row holds their sum.
    """
    wanted = {column for each in line_metrics().values() for column in (*each.columns, *each.lanes)}
    launches: list[tuple[LineValue, ...]] = []
    header: list[str] | None = None
    rows: list[dict[str, str]] = []
    for record in csv.reader(io.StringIO(text)):
        if _TEXT_COLUMN in record and any(name in record for name in _NUMBER_COLUMNS):
            if header is not None:
                launches.append(_values(header, rows, wanted))
            header, rows = record, []
        elif header is not None and len(record) > 1:
            rows.append(dict(zip(header, record, strict=False)))
    if header is not None:
        launches.append(_values(header, rows, wanted))
    return tuple(launches)


def _values(header: Sequence[str], rows: Sequence[Mapping[str, str]], wanted: set[str]) -> tuple[LineValue, ...]:
    """Raises: MixedNumbers."""
    number = next(name for name in _NUMBER_COLUMNS if name in header)
    columns = [name for name in header if name in wanted]
    convention = convention_of(row.get(column, "") for row in rows for column in columns)
    found: list[LineValue] = []
    for row in rows:
        line = row.get(number, "").strip()
        if not line.isdecimal() or row.get(_ADDRESS_COLUMN, "").strip():
            continue
        for column in columns:
            value = parse_number(row.get(column, ""), convention)
            if value:
                found.append(LineValue(int(line), column, value))
    return tuple(found)
