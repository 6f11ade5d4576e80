"""Source and launch plan of an attempt."""

import json
from typing import Annotated

from pydantic import Field

from warpwright.candidate.candidate import Candidate
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.parts.kernel import kernel_table
from warpwright.proposer.model.prompt.quoting import clipped, quoted
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool, room


class _Ask(Arguments):
    attempt: Annotated[int, Field(description="Number of the attempt.")]
    first_line: Annotated[int, Field(description="Line to begin at, from 1.", ge=1)] = 1


def source(aids: Aids) -> Tool:
    """Numbered lines, as many as fit; the launch plan before them if they begin at the first."""

    def answer(asked: _Ask) -> str:
        attempt = aids.attempt(asked.attempt)
        lines = attempt.candidate.source.splitlines()
        if asked.first_line > len(lines):
            return f"The source of attempt {attempt.number} has {len(lines)} lines."
        table = clipped(_table(attempt.candidate), limits().launch) if asked.first_line == 1 else ""
        shown: list[str] = []
        size = len(table)
        for number, line in enumerate(lines[asked.first_line - 1 :], asked.first_line):
            text = f"{number:4} | {line}"
            size += len(text) + 1
            if size > room() and shown:
                break
            shown.append(text)
        last = asked.first_line + len(shown) - 1
        more = f"\nRead on with first_line {last + 1} of {len(lines)}." if last < len(lines) else ""
        heading = f"attempt {attempt.number}, {attempt.evaluation.label}{f'; kernel table: {table}' if table else ''}"
        return f"{heading}\n{quoted('CUDA source', '\n'.join(shown), room())}{more}"

    return Tool("source", "Source (with line numbers) and launch plan of any attempt.", _Ask, answer)


def _table(candidate: Candidate) -> str:
    return json.dumps(kernel_table(candidate), ensure_ascii=False)
