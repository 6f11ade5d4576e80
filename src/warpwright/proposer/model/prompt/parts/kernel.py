"""The kernel to start from: its launch plan as the JSON of a reply, and its source."""

import json
from typing import Any

from warpwright.candidate.candidate import Candidate, CaseOverride, Launch
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, quoted


def kernel(what: str, candidate: Candidate) -> str:
    """Heading, `kernel` table, source. what: `attempt 7, the incumbent`."""
    lines = [f"## Start from {what}", "`kernel` table:", clipped(_spelled(kernel_table(candidate)), limits().launch)]
    values = ", ".join(f"{name}={value}" for name, value in sorted(candidate.values().items()))
    if values:
        lines.append(f"Compiled with {values}.")
    if candidate.headers:
        lines.append(f"The workload's own headers: {', '.join(sorted(candidate.headers))}.")
    lines.append(quoted("CUDA source", candidate.source, limits().source))
    if len(candidate.source) > limits().source:
        lines.append(
            "It is longer than can be shown; what is left out must be read with `source` before it is changed."
        )
    return "\n".join(lines)


def kernel_table(candidate: Candidate) -> dict[str, Any]:
    """The `[kernel]` table without file names, as plain JSON; what has its default is left out."""
    plan = candidate.plan
    table: dict[str, Any] = {}
    if len(plan.launches) == 1:
        table.update(_launch(plan.launches[0]))
    else:
        table["launches"] = [_launch(launch) for launch in plan.launches]
    if plan.scratch:
        table["scratch"] = [{"name": s.name, "dtype": s.dtype, "shape": list(s.shape)} for s in plan.scratch]
    if candidate.tunables:
        table["tunables"] = {name: list(allowed) for name, allowed in candidate.tunables.items()}
    if candidate.point:
        table["point"] = dict(candidate.point)
    if candidate.options:
        table["options"] = list(candidate.options)
    if plan.overrides:
        table["case"] = {name: _override(override) for name, override in plan.overrides.items()}
    return table


def _spelled(table: dict[str, Any]) -> str:
    """JSON, one key a line."""
    rows = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return "{\n" + ",\n".join(rows) + "\n}"


def _launch(launch: Launch) -> dict[str, Any]:
    row: dict[str, Any] = {
        "entry": launch.entry, "grid": list(launch.grid), "block": list(launch.block), "shared": launch.shared,
    }  # fmt: skip
    if launch.cluster is not None:
        row["cluster"] = list(launch.cluster)
    if launch.cooperative:
        row["cooperative"] = True
    if launch.args is not None:
        row["args"] = list(launch.args)
    return row


def _override(override: CaseOverride) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if override.grid is not None:
        row["grid"] = list(override.grid)
    if override.block is not None:
        row["block"] = list(override.block)
    if override.shared is not None:
        row["shared"] = override.shared
    if override.point:
        row["point"] = dict(override.point)
    return row
