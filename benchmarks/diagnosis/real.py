"""Real kernels, plain and tuned: what the diagnosis says before and after, and which counters moved.

    python -m benchmarks.diagnosis.real --device emulator:h200 --output benchmarks/diagnosis/results/real_emulator_h200.json
    python -m benchmarks.diagnosis.real --device gpu:0 --output benchmarks/diagnosis/results/real_h200.json

Which kernels and cases: `real.toml`. Started again with the same FILE it goes on with what is missing.
"""

import argparse
import time
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.diagnosis.diagnosed import Row, Subject, diagnosed
from benchmarks.diagnosis.results import Results

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
WHAT = """Diagnosis of the initial kernel of the examples in real.toml and of the kernel that the built-in strategist made of
each on the emulator. `moved`: new over old value of counters that both know, of the longest launch, beyond 2 per cent."""
_NOISE_RATIO = 0.02


def before_and_after(name: str, case: str, device: str, ncu: Path | None) -> Row:
    """Both diagnoses and what moved."""
    before = diagnosed(Subject(EXAMPLES / name, case), device, ncu)
    after = diagnosed(Subject(EXAMPLES / name, case, HERE / "tuned" / name), device, ncu)
    failed = [f"{side}: {row['failed']}" for side, row in (("before", before), ("after", after)) if "failed" in row]
    if failed:
        return {"failed": "; ".join(failed)}
    return {
        "case": case,
        **({"machine": after.pop("machine")} if before.pop("machine", None) is not None else {}),
        "speedup": round(before["time_us"] / after["time_us"], 2),
        "moved": moved(before["counters"], after["counters"]),
        "before": before,
        "after": after,
    }


def moved(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """New over old value."""
    ratios = {name: after[name] / before[name] for name in before if name in after and before[name]}
    return {name: float(f"{ratio:.3g}") for name, ratio in ratios.items() if abs(ratio - 1) > _NOISE_RATIO}


def first_findings(row: Row) -> str:
    """At most three classes; a hint is called one."""
    named = [("hint: " if finding["hint"] else "") + finding["bottleneck"] for finding in row["findings"][:3]]
    return ", ".join(named) or "none"


def summary(rows: dict[str, Row]) -> dict[str, str]:
    """A line each."""
    return {name: line(row) for name, row in sorted(rows.items())}


def main() -> None:
    """Run what is missing, print a few lines each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="emulator:h200", help="as in `warpwright --device`")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--ncu", type=Path, default=None, help="the program; default: looked for")
    parser.add_argument("--seconds", type=float, default=480.0, help="begin no further kernel after that long")
    options = parser.parse_args()
    began = time.monotonic()
    rows: dict[str, Any] = tomllib.loads((HERE / "real.toml").read_text(encoding="utf-8"))
    results = Results(options.output, options.device, WHAT)
    for name, cases in rows.items():
        if not results.lacks(name):
            continue
        if time.monotonic() - began > options.seconds:
            print("time is up; start again to go on", flush=True)
            break
        case = cases["emulator" if options.device.startswith("emulator") else "gpu"]
        row = before_and_after(name, case, options.device, options.ncu)
        results.write(name, row, summary({**results.rows, name: row}))
        print(f"{name:<12}{line(row)}", flush=True)


def line(row: Row) -> str:
    """What was found before and after, and the factor in between; or how it failed."""
    if "failed" in row:
        return f"failed: {row['failed']}"
    return f"{first_findings(row['before'])}  ->  {first_findings(row['after'])}  ({row['speedup']}x)"


if __name__ == "__main__":
    main()
