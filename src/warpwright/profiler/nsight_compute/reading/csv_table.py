"""Finds the tables in what `ncu --csv` prints: behind messages, between commas or semicolons, quoted or not."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warpwright.profiler.nsight_compute.reading.report import UnreadableReport

_MESSAGE = re.compile(r"==[A-Z]+==")
_DELIMITERS = (",", ";")
_FIELD_LIMIT = 1 << 24
"""Characters of a cell; the default of the csv module is less than a long rule may say."""


@dataclass(frozen=True, slots=True)
class Table:
    """rows: below the header; a header of a further table is one of them. A row may be shorter than the header, not longer.

    delimiter: semicolons are printed where decimals have a comma.
    """

    header: tuple[str, ...]
    rows: Iterator[list[str]]
    delimiter: str


def find_table(text: str, needed: Sequence[str]) -> Table | None:
    """The first table whose header has these columns; None if there is none.

    Raises: UnreadableReport, also while the rows are read, for what is no CSV or breaks off inside a cell.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    lines = [line for line in text.removeprefix("\ufeff").split("\n") if not _MESSAGE.match(line)]
    for number, line in enumerate(lines):
        if not all(name in line for name in needed):
            continue
        for delimiter in _DELIMITERS:
            header = next(csv.reader([line], delimiter=delimiter), [])
            if all(name in header for name in needed):
                return Table(tuple(header), _rows(lines[number + 1 :], delimiter), delimiter)
    return None


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Not empty ones. Strict: a cell that is never closed is an error, not a shorter number."""
    try:
        yield from (row for row in csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True) if row)
    except csv.Error as error:
        raise UnreadableReport(f"what Nsight Compute printed is no CSV, or it is cut short: {error}") from error
