"""What a profiler metric means: from lists that `ncu --query-metrics` printed, or from tables of indexed documents."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warpwright.knowledge.documents.index.resolve import Place

FOLDER: Final = "metrics"
"""Sub-folder of the documents in which printed lists of metrics are kept, one file a chip: `gh100.txt`."""
_CHIP: Final = re.compile(r"^Device\s+(?:.*\()?(?P<chip>[A-Za-z]{2}\w{2,6})\)?\s*$")
_SUFFIXES: Final = re.compile(r"\.(?:sum|avg|min|max|ratio|pct|per_\w+|peak_\w+|pct_of_\w+|max_rate)(?:\.\w+)*$")
_GAP: Final = re.compile(r"\s{2,}")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. unit, description: None = unknown. chips: on which the lists have it. origin: file or citation's text."""

    name: str
    unit: str | None
    description: str | None
    chips: tuple[str, ...]
    origin: str


def lookup_metric(name: str, folder: Path, connection: sqlite3.Connection | None) -> Metric | None:
    """By full name or without its suffixes (`.sum.pct_of_peak_sustained_elapsed`); None = unknown."""
    wanted = dict.fromkeys((name, _SUFFIXES.sub("", name)))
    for spelling in wanted:
        listed = _listed(spelling, folder / FOLDER)
        if listed is not None:
            return listed
    return next((found for s in wanted if connection and (found := _tabled(s, connection))), None)


def _listed(name: str, folder: Path) -> Metric | None:
    """From the printed lists; the first one with a description speaks for all."""
    rows = [(file, chip, unit, text) for file in _lists(folder) for chip, unit, text in _rows(file, name)]
    if not rows:
        return None
    file, _, unit, text = max(rows, key=lambda row: len(row[3]))
    return Metric(name, unit or None, text or None, tuple(sorted({chip for _, chip, _, _ in rows if chip})), str(file))


def _lists(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.txt")) if folder.is_dir() else []


def _rows(file: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """(chip, unit, description) of a metric in one list: columns are two or more blanks apart, the unit is the middle one."""
    chip = file.stem
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        device = _CHIP.match(line.strip())
        if device:
            chip = device["chip"]
        if line.startswith(name) and line[len(name) : len(name) + 1].isspace():
            cells = _GAP.split(line.strip())[1:]
            middle = [cell for cell in cells[:-1] if cell not in ("Counter", "Ratio", "Throughput")]
            yield chip, (middle[-1] if middle else ""), (cells[-1] if cells else "")


def _tabled(name: str, connection: sqlite3.Connection) -> Metric | None:
    """A table row or a term that begins with the metric's name."""
    rows = connection.execute(
        "SELECT c.section, c.text FROM chunk_fts JOIN chunk c ON c.id = chunk_fts.rowid WHERE chunk_fts MATCH ?"
        " ORDER BY bm25(chunk_fts) LIMIT 20",
        (f'"{name.replace(chr(34), "")}"',),
    )
    for section, text in rows:
        for line in text.splitlines():
            head, separator, rest = line.partition(" | ") if " | " in line else line.partition(": ")
            if separator and head.strip() == name:
                return Metric(name, None, rest.strip() or None, (), Place.of(connection, section).citation.text)
    return None
