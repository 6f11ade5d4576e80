"""Optimize every example on the emulator with the built-in proposer and write what came of it as JSON.

    python benchmarks/examples/optimize_all.py [--device emulator:h200] [NAME ...]

The figures are estimates of the named GPU; `benchmarks/examples/*.json` holds committed runs.
"""

import argparse
import datetime as dt
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def optimize(example: Path, device: str, sessions: Path) -> dict[str, Any]:
    """One session; its summary with the wall time of the whole command."""
    command = [sys.executable, "-m", "warpwright.cli.main", "optimize", str(example), "--device", device]
    began = time.monotonic()
    run = subprocess.run(
        [*command, "--sessions", str(sessions), "--json", "--quiet"], capture_output=True, text=True, check=False
    )
    seconds = round(time.monotonic() - began, 1)
    if run.returncode:
        return {"example": example.name, "exit_code": run.returncode, "message": run.stderr[-2000:], "seconds": seconds}
    document = json.loads(run.stdout)
    return {
        "example": example.name,
        "exit_code": 0,
        "seconds": seconds,
        "speedup": document["speedup"],
        "floor_ratio": document["floor_ratio"],
        "attempts": len(document["attempts"]),
        "tuning_points": document["tuning_points"],
        "stopped": document["stopped"],
        "improved_by": [a["technique"] for a in document["attempts"] if a["outcome"] == "improved"],
        "initial": figures(document["initial"]),
        "best": {"attempt": document["best"]["attempt"], **figures(document["best"])},
    }


def figures(side: dict[str, Any]) -> dict[str, Any]:
    """Geometric mean and perf cases in microseconds, with what binds each."""
    perf = [case for case in side["cases"] if case["kind"] == "perf" and case["median_us"] is not None]
    cases = {case["name"]: {"us": round(case["median_us"], 3), "bound_by": case["binding"]} for case in perf}
    return {"geomean_us": round(side["geomean_us"], 3), "source": side["source"], "cases": cases}


def main() -> None:
    """Run, print a line each, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="examples; default: all")
    parser.add_argument("--device", default="emulator:h200")
    parser.add_argument("--sessions", type=Path, default=None, help="keep the sessions here")
    parser.add_argument("--output", type=Path, default=None)
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            rows.append(optimize(ROOT / "examples" / name, options.device, options.sessions or Path(temporary)))
            print(json.dumps(rows[-1]), flush=True)
    document = {
        "what": "warpwright optimize on every example, built-in proposer, seed 0; all times are estimates",
        "device": options.device,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "host": {"processor": platform.processor() or platform.machine(), "python": platform.python_version()},
        "runs": rows,
    }
    if options.output:
        options.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
