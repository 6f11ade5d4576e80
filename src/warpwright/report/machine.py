"""What `doctor` found out, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

_STYLES = {"ok": "green", "warning": "yellow", "missing": "bold red"}


@dataclass(frozen=True, slots=True)
class MachineLine:
    """One fact. status: ok, warning or missing. remedy: empty where nothing is to be done."""

    name: str
    status: str
    detail: str
    remedy: str


def machine_table(lines: Sequence[MachineLine]) -> Table:
    """One row a fact; the remedy stands under what it mends."""
    table = Table(box=None, pad_edge=False)
    for heading in ("", "what", "found"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        found = Text(line.detail)
        if line.remedy:
            found.append(f"\n{line.remedy}", style="italic")
        table.add_row(Text(line.status, style=_STYLES[line.status]), line.name, found)
    return table
