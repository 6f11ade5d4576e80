"""The compiler's code for a kernel of an attempt: around a source line, or where a text occurs."""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from warpwright.proposer.model.prompt.quoting import quoted, without_paths
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool, room
from warpwright.record.evidence import compiled_ptx, lowered_names

_AROUND = 12
"""Lines of PTX shown before and after a hit."""
_LOCATION = re.compile(r"^\s*\.loc\s+1\s+(?P<line>\d+)\b")


class _Ask(Arguments):
    attempt: Annotated[int, Field(description="Number of the attempt.")]
    entry: Annotated[str, Field(description="Name of the kernel; empty: its first.", max_length=300)] = ""
    source_line: Annotated[
        int, Field(description="Show the code of this line of the CUDA source; 0: of all.", ge=0)
    ] = 0
    text: Annotated[str, Field(description="Show where this text occurs, such as ld.global.", max_length=100)] = ""
    form: Annotated[Literal["ptx", "sass"], Field(description="ptx; sass only where a disassembler is known.")] = "ptx"


def code_excerpt(aids: Aids) -> Tool:
    """PTX from the record."""

    def answer(asked: _Ask) -> str:
        attempt = aids.attempt(asked.attempt)
        if asked.form == "sass":
            return "No disassembler is known here, so there is no SASS. Ask for form ptx."
        ptx = compiled_ptx(attempt.evaluation)
        if ptx is None:
            return f"Attempt {attempt.number} ({attempt.evaluation.label}) was not compiled to code."
        names = lowered_names(attempt.evaluation)
        entry = asked.entry or next(iter(names), "")
        if entry not in names:
            return f"Attempt {attempt.number} has no kernel of that name; it has {', '.join(names)}."
        lines = _body(ptx.splitlines(), names[entry])
        hits = _hits(lines, asked.source_line, asked.text.lower())
        if not hits:
            return f"No PTX of {entry} fits ({len(lines)} lines): no such text, or no code for that line."
        which = f" compiled for case {attempt.evaluation.cases[0].name}" if attempt.candidate.compiled_by_case else ""
        return (
            f"{entry}{which}, {len(lines)} lines of PTX:\n{quoted('PTX', without_paths(_windows(lines, hits)), room())}"
        )

    return Tool(
        "code_excerpt",
        "PTX of a kernel of an attempt: all of it from its start, the code of one source line, or where a text occurs.",
        _Ask,
        answer,
    )


def _body(lines: Sequence[str], symbol: str) -> list[str]:
    """From `.entry` to the brace that closes it."""
    head = re.compile(rf"\.entry\s+{re.escape(symbol)}\s*(?:\(|$)")
    start = next((i for i, line in enumerate(lines) if head.search(line)), len(lines))
    end = next((i for i in range(start, len(lines)) if lines[i].startswith("}")), len(lines) - 1)
    return list(lines[start : end + 1])


def _hits(lines: Sequence[str], source_line: int, text: str) -> list[int]:
    """Positions of lines that belong to the source line and hold the text; every line if neither is asked for."""
    found, current = [], None
    for position, line in enumerate(lines):
        location = _LOCATION.match(line)
        if location is not None:
            current = int(location["line"])
        if source_line in (0, current) and text in line.lower():
            found.append(position)
    return found


def _windows(lines: Sequence[str], hits: Sequence[int]) -> str:
    """The hits with what is around them, numbered; `...` where lines are left out."""
    kept = sorted({i for hit in hits for i in range(max(hit - _AROUND, 0), min(hit + _AROUND + 1, len(lines)))})
    rows: list[str] = []
    for before, position in zip([-1, *kept], kept, strict=False):
        rows += ["..."] if position > before + 1 else []
        rows.append(f"{position + 1:5} {lines[position].rstrip()}")
    return "\n".join(rows)
