"""The operation table as text, for the documentation and for messages."""

from dataclasses import dataclass

from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ops.table import Operation


@dataclass(frozen=True, slots=True)
class FormLine:
    """One row in words. types: accepted last types; for two-type forms `results from sources`."""

    name: str
    types: str
    modifiers: str
    pipe: str


def supported_forms() -> tuple[FormLine, ...]:
    """Every row of the table, sorted by name; rows that differ in nothing shown are listed once."""
    return tuple(sorted({_line(row) for row in TABLE.rows()}, key=lambda line: (line.name, line.types)))


def _line(row: Operation) -> FormLine:
    types = " ".join(sorted(row.types)) or "-"
    if row.result_types:
        types = f"{' '.join(sorted(row.result_types))} from {types}"
    return FormLine(row.name, types, " ".join(sorted(row.modifiers)) or "-", row.pipe.value)
