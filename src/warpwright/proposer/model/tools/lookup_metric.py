"""What a counter means: Warpwright's own names, and those of Nsight Compute where documents describe them."""

import difflib
from typing import Annotated

from pydantic import Field

from warpwright.profiler.counters import metrics
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import quoted
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool

_NEAR_NAMES = 5


class _Lookup(Arguments):
    name: Annotated[
        str, Field(description="Name of a counter, such as dram_read_bytes or dram__bytes_read.sum.", max_length=200)
    ]


def lookup_metric(aids: Aids) -> Tool:
    """Meaning and unit; near names for one that nobody knows."""

    def answer(asked: _Lookup) -> str:
        own = metrics().get(asked.name)
        if own is not None:
            of_ncu = f" Nsight Compute: {', '.join(own.ncu)}." if own.ncu else ""
            return f"{own.name} [{own.unit}]: {own.meaning}.{of_ncu}"
        listed = None if aids.library is None else aids.library.lookup_metric(asked.name)
        if listed is not None:
            text = listed.description or "no description"
            return f"{listed.name} [{listed.unit or 'unit unknown'}]\n{quoted('description', text, 4 * limits().line)}"
        renamed = [metric.name for metric in metrics().values() if asked.name in metric.ncu]
        near = renamed or difflib.get_close_matches(asked.name, list(metrics()), _NEAR_NAMES, 0.5)
        return "Unknown." + (f" Near: {', '.join(near)}." if near else "")

    return Tool("lookup_metric", "Meaning and unit of a hardware counter.", _Lookup, answer)
