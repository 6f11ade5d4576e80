"""Unified diff of two sources as typed lines."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

_CONTEXT_LINES = 4


@dataclass(frozen=True, slots=True)
class DiffLine:
    """kind: `added`, `removed`, `same` or `hunk`; old, new: line numbers where the line exists."""

    kind: str
    old: int | None
    new: int | None
    text: str


def diff_lines(before: str, after: str) -> Sequence[DiffLine]:
    """What changed, with a few lines around each change; empty if nothing did."""
    sequence = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    old, new = before.splitlines(), after.splitlines()
    lines: list[DiffLine] = []
    for group in sequence.get_grouped_opcodes(_CONTEXT_LINES):
        lines.append(DiffLine("hunk", None, None, f"line {group[0][1] + 1} -> line {group[0][3] + 1}"))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [DiffLine("same", i + 1, j1 + i - i1 + 1, old[i]) for i in range(i1, i2)]
                continue
            lines += [DiffLine("removed", i + 1, None, old[i]) for i in range(i1, i2)]
            lines += [DiffLine("added", None, j + 1, new[j]) for j in range(j1, j2)]
    return lines
