"""Runs the studies in the order of their weight within a budget; each in a process of its own: one cannot cost the others.

    python -m benchmarks.measurement.run_all --output DIR [--device gpu:0] [--minutes 9] [--only NAME ...]

Started again with the same folder it goes on where it stopped: a study that is complete ends at once.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measurement.study import print_table

ROOT = Path(__file__).parents[2]
GRACE_S = 45.0
"""Beyond a study's own budget: the row that it has begun, and closing."""
LEAST_S = 10.0


@dataclass(frozen=True, slots=True)
class Planned:
    """A study and what it is given. seconds: its own budget where others follow. arguments: beside the common ones."""

    name: str
    seconds: float
    arguments: tuple[str, ...] = ()


STUDIES = (
    Planned("roundtrip", 30),
    Planned("golden", 40),
    Planned("attacks", 90),
    Planned("faults", 90),
    Planned("turnaround", 180),
    Planned("aa_study", 240),
    Planned("tools", 90),
    Planned("leaks", 150, ("--cases", "one", "small")),
)


def main() -> int:
    """The largest exit code of the studies that ran."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=9.0, help="for all of them together")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help=", ".join(s.name for s in STUDIES))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + 60 * options.minutes
    rows: list[tuple[str, object, float, str]] = []
    chosen = [study for study in STUDIES if not options.only or study.name in options.only]
    for study in chosen:
        left = deadline - time.monotonic()
        if left < LEAST_S:
            rows.append((study.name, None, 0.0, "not begun: the budget is spent"))
            continue
        began = time.monotonic()
        wanted = left if study is chosen[-1] else study.seconds  # nobody waits behind the last one
        code = _run(study, options.device, options.output, min(wanted + GRACE_S, left))
        rows.append((study.name, code, time.monotonic() - began, _summary(options.output / f"{study.name}.json")))
    print_table("studies", ("study", "exit", "seconds", "summary"), rows)
    return max((code for _, code, _, _ in rows if isinstance(code, int)), default=0)


def _run(study: Planned, device: str, output: Path, left: float) -> int | None:
    """Exit code; None: it had to be ended. left: seconds for everything, closing included."""
    budget = max(LEAST_S, left - GRACE_S)
    command = [sys.executable, "-m", f"benchmarks.measurement.{study.name}", "--device", device]
    command += ["--output", str(output), "--seconds", f"{budget:.0f}", *study.arguments]
    print(f"\n=== {study.name}, {budget:.0f} s", flush=True)
    return _wait(command, min(left, budget + GRACE_S))


def _wait(command: Sequence[str], limit_s: float) -> int | None:
    with subprocess.Popen(command, cwd=ROOT) as child:
        try:
            return child.wait(limit_s)
        except subprocess.TimeoutExpired:
            child.terminate()
            try:
                child.wait(5.0)
            except subprocess.TimeoutExpired:
                child.kill()
            return None


def _summary(path: Path) -> str:
    if not path.is_file():
        return "no results"
    return json.dumps(json.loads(path.read_text(encoding="utf-8"))["summary"])[:400]


if __name__ == "__main__":
    sys.exit(main())
