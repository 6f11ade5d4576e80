"""Fifteen kernels, each built to have one bottleneck: is it the one that the diagnosis names?

    python -m benchmarks.diagnosis.study --device emulator:h200 --output benchmarks/diagnosis/results/emulator_h200.json
    python -m benchmarks.diagnosis.study --device gpu:0 --output benchmarks/diagnosis/results/h200.json

What each kernel suffers from is written in `expected.toml`, committed before the first run. Each kernel is verified, timed and
profiled on a bench of its own, whose processes end with it. Started again with the same FILE it goes on with what is missing.
"""

import argparse
import json
import time
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.diagnosis.diagnosed import Row, Subject, diagnosed
from benchmarks.diagnosis.results import Results

from warpwright.profiler.diagnosis.roof import AT_THE_ROOF

HERE = Path(__file__).resolve().parent
CASE = "built"
_WHAT = """Diagnosis of fifteen kernels that each were built to have one bottleneck, against the list in expected.toml.
`found` is the first finding; for a kernel at its roof the first one after at_the_roof, which says what the roof is made of."""


def expected_classes(device: str) -> dict[str, str]:
    """Kernel -> class that it was built for, of those whose counters the device supplies."""
    rows: dict[str, Any] = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))
    return {name: row["expected"] for name, row in rows.items() if row["emulator"] or not device.startswith("emulator")}


def judged(row: Row, expected: str) -> Row:
    """The row with its verdict first."""
    named = [finding["bottleneck"] for finding in row.get("findings", [])]
    found = next((name for name in named if name != AT_THE_ROOF), None)
    return {"expected": expected, "found": found, "right": found == expected, **row}


def summary(rows: dict[str, Row], expected: dict[str, str]) -> Row:
    """How many are right, and which are not."""
    wrong = {name: row["found"] for name, row in sorted(rows.items()) if not row["right"]}
    return {"kernels": len(expected), "done": len(rows), "right": len(rows) - len(wrong), "wrong": wrong}


def main() -> None:
    """Run what is missing, print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="emulator:h200", help="as in `warpwright --device`")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--ncu", type=Path, default=None, help="the program; default: looked for")
    parser.add_argument("--seconds", type=float, default=480.0, help="begin no further kernel after that long")
    parser.add_argument("--only", nargs="*", default=[], help="only these kernels, again even if known; default: all")
    options = parser.parse_args()
    began = time.monotonic()
    expected = expected_classes(options.device)
    results = Results(options.output, options.device, _WHAT)
    for name in options.only or expected:
        if not options.only and not results.lacks(name):
            continue
        if time.monotonic() - began > options.seconds:
            print("time is up; start again to go on", flush=True)
            break
        row = judged(diagnosed(Subject(HERE / "kernels" / name, CASE), options.device, options.ncu), expected[name])
        results.write(name, row, summary({**results.rows, name: row}, expected))
        mark = "right" if row["right"] else "WRONG"
        print(
            f"{mark} {name:<18} expected {expected[name]:<26} found {row['found']}  {row.get('failed', '')}", flush=True
        )
    print(json.dumps(summary(results.rows, expected)))


if __name__ == "__main__":
    main()
