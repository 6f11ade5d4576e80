"""Pack the initial and the best kernel of sessions into one JSON that `measure_on_gpu.py` runs on a machine with a GPU.

    python benchmarks/examples/bundle_for_gpu.py SESSIONS_DIR BUNDLE.json

Every perf case is packed, those of `on = "gpu"` too: sources, defines, grids and blocks as plain numbers.
"""

import json
import sys
from pathlib import Path
from typing import Any

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.resolve import resolve_plan
from warpwright.candidate.resolved import PlanFault
from warpwright.hardware import load_gpu
from warpwright.record.session import Session
from warpwright.workload.model import ArrayParameter, Case, CaseKind, Workload
from warpwright.workload.shapes import scalar_value, shape_of


def side(workload: Workload, candidate: Candidate, case: Case) -> dict[str, Any]:
    """One kernel on one case."""
    names = tuple(p.name for p in workload.parameters)
    plan = resolve_plan(candidate, case.dims, load_gpu("h200"), case.name, names)
    if isinstance(plan, PlanFault):
        raise SystemExit(f"{workload.name}, case {case.name}: {plan.message}")
    launches = [
        {"entry": x.entry, "grid": x.grid, "block": x.block, "shared_bytes": x.shared_bytes, "args": x.args}
        for x in plan.launches
    ]
    scratch = [{"name": s.name, "dtype": s.dtype, "shape": s.shape} for s in plan.scratch]
    return {
        "source": candidate.source,
        "defines": candidate.values(case.name),
        "launches": launches,
        "scratch": scratch,
    }


def parameters(workload: Workload, case: Case) -> list[dict[str, Any]]:
    """Arrays with shapes, scalars with values."""
    rows: list[dict[str, Any]] = []
    for p in workload.parameters:
        if isinstance(p, ArrayParameter):
            shape = shape_of(p, case.dims)
            rows.append(
                {
                    "name": p.name,
                    "dtype": p.dtype,
                    "shape": shape,
                    "role": p.role.value,
                    "zeroed": p.zeroed,
                    "values": p.values,
                }
            )
        else:
            rows.append({"name": p.name, "dtype": p.dtype, "value": scalar_value(p, case).item()})
    return rows


def main() -> None:
    """One entry for each session and perf case."""
    sessions, output = Path(sys.argv[1]), Path(sys.argv[2])
    entries = []
    for directory in sorted(sessions.iterdir()):
        session = Session.open(directory, lock=False)
        best = session.attempt(session.best())
        for case in session.workload.cases:
            if case.kind is not CaseKind.PERF:
                continue
            timings = {c.name: c.timing for c in best.evaluation.cases}
            initial = {c.name: c.timing for c in session.attempt(1).evaluation.cases}
            estimates = [t.median_us if (t := times.get(case.name)) else None for times in (initial, timings)]
            entries.append(
                {
                    "workload": session.workload.name,
                    "case": case.name,
                    "dims": dict(case.dims),
                    "parameters": parameters(session.workload, case),
                    "initial": side(session.workload, session.workload.initial, case),
                    "best": side(session.workload, best.candidate, case),
                    "estimated_us": {"initial": estimates[0], "best": estimates[1]},
                }
            )
    output.write_text(json.dumps(entries), encoding="utf-8")
    print(f"{len(entries)} cases in {output}")


if __name__ == "__main__":
    main()
