"""Optimize every example with the built-in proposer and write what came of it as JSON.

    python benchmarks/examples/optimize_all.py [--device emulator:h200] [--time-limit 60s] [--output FILE] [NAME ...]

On the emulator the figures are estimates of the named GPU; on a GPU they are measured, and the speed-up is that of a paired
run after the search. Started again with the same FILE it goes on with the examples that are missing there.
`benchmarks/examples/*.json` holds committed runs.
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


def optimize(example: Path, options: argparse.Namespace, sessions: Path) -> dict[str, Any]:
    """One session; its summary with the wall time of the whole command."""
    command = [sys.executable, "-m", "warpwright.cli.main", "optimize", str(example), "--device", options.device]
    command += ["--sessions", str(sessions), "--no-history", "--json", "--quiet"]
    if options.time_limit:
        command += ["--time-limit", options.time_limit]
    began = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = round(time.monotonic() - began, 1)
    if run.returncode:
        return {"example": example.name, "exit_code": run.returncode, "message": run.stderr[-2000:], "seconds": seconds}
    document = json.loads(run.stdout)
    return {
        "example": example.name,
        "exit_code": 0,
        "time_limit": options.time_limit,
        "seconds": seconds,
        "speedup": document["speedup"],
        "published": published(document["published"]),
        "floor_ratio": document["floor_ratio"],
        "attempts": len(document["attempts"]),
        "tuning_points": document["tuning_points"],
        "stopped": document["stopped"],
        "improved_by": [a["technique"] for a in document["attempts"] if a["outcome"] == "improved"],
        "initial": figures(document["initial"]),
        "best": {"attempt": document["best"]["attempt"], **figures(document["best"])},
    }


def published(figure: dict[str, Any] | None) -> dict[str, Any] | None:
    """The paired run after the search, without its samples; None on the emulator."""
    if figure is None:
        return None
    kept = ("rank", "speedup", "low", "high", "rounds", "floor_ratio", "flags", "cases", "identity")
    return {name: figure[name] for name in kept}


def figures(side: dict[str, Any]) -> dict[str, Any]:
    """Geometric mean and perf cases in microseconds, with the floor of each and, for estimates, what binds it."""
    perf = [case for case in side["cases"] if case["kind"] == "perf" and case["median_us"] is not None]
    cases = {
        case["name"]: {
            "us": round(case["median_us"], 3),
            "floor_us": None if case["floor_us"] is None else round(case["floor_us"], 3),
            "bound_by": case["binding"],
        }
        for case in perf
    }
    return {"geomean_us": round(side["geomean_us"], 3), "source": side["source"], "cases": cases}


def earlier(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Finished runs of the output file, if they are of the same device."""
    if options.output is None or not options.output.is_file():
        return []
    document = json.loads(options.output.read_text(encoding="utf-8"))
    same = document["device"] == options.device
    return [row for row in document["runs"] if same and row["exit_code"] == 0]


def document_of(options: argparse.Namespace, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What is written."""
    figure = next((row["published"] for row in rows if row.get("published")), None)
    times = "all times are estimates" if figure is None else "all times are measured"
    return {
        "what": f"warpwright optimize on every example, built-in proposer, seed 0; {times}",
        "device": options.device,
        "identity": None if figure is None else figure["identity"],
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "host": {"processor": platform.processor() or platform.machine(), "python": platform.python_version()},
        "runs": rows,
    }


def print_rows(rows: list[dict[str, Any]]) -> None:
    """One line each, last of all."""
    print(
        f"{'example':<14}{'initial us':>12}{'best us':>12}{'speed-up':>10}{'of floor':>9}{'attempts':>9}{'seconds':>9}"
    )
    for row in rows:
        if row["exit_code"]:
            print(f"{row['example']:<14}exit code {row['exit_code']}: {row['message'][-200:]}")
            continue
        speedup = row["published"]["speedup"] if row.get("published") else row["speedup"]
        floor = "-" if row["floor_ratio"] is None else f"{row['floor_ratio']:.1%}"
        print(
            f"{row['example']:<14}{row['initial']['geomean_us']:>12.2f}{row['best']['geomean_us']:>12.2f}"
            f"{speedup or 1.0:>10.2f}{floor:>9}{row['attempts']:>9}{row['seconds']:>9.0f}"
        )


def main() -> None:
    """Run, print a line each, write the JSON after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="examples; default: all")
    parser.add_argument("--device", default="emulator:h200")
    parser.add_argument("--time-limit", default=None, help="of each session, as `warpwright optimize` takes it")
    parser.add_argument("--sessions", type=Path, default=None, help="keep the sessions here")
    parser.add_argument("--output", type=Path, default=None)
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())
    rows = earlier(options)
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            if any(row["example"] == name for row in rows):
                continue
            rows.append(optimize(ROOT / "examples" / name, options, options.sessions or Path(temporary)))
            print(json.dumps(rows[-1]), flush=True)
            if options.output:
                options.output.parent.mkdir(parents=True, exist_ok=True)
                options.output.write_text(json.dumps(document_of(options, rows), indent=1) + "\n", encoding="utf-8")
    print_rows(rows)


if __name__ == "__main__":
    main()
