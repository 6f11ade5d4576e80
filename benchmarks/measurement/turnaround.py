"""How long one candidate takes from its source to a verified and timed outcome, and where that time goes.

    python -m benchmarks.measurement.turnaround --output DIR [--device gpu:0] [--count 24]

Target: median under 1.0 s with cases up to 64 MB of arguments.
"""

import argparse
import secrets
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.measurement.machine import machine_of
from benchmarks.measurement.study import Row, Study, load_kernels, parse_options, print_table

from warpwright.candidate.candidate import Candidate
from warpwright.cli.bench_options import bench_options
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.units import MIB
from warpwright.workload.loader import load_workload
from warpwright.workload.model import CaseKind, Workload
from warpwright.workload.shapes import case_bytes

LIMIT_S = 1.0
EXAMPLE = Path(__file__).parents[2] / "examples" / "softmax"
EXAMPLE_PART = "softmax"
LARGEST_BYTES = 64 * MIB
"""Arguments of the perf cases for which there is a target."""

PARTS = {"example": ("rows512", "rows2048"), "mib64": ("rows512", "rows2048_64mib"), "logits": ("logits",)}
"""Part with generated inputs -> its perf cases."""
WITHIN_LIMIT = (EXAMPLE_PART, "example", "mib64")

PROTOCOL = """Part `softmax` is examples/softmax as it is: its oracle, the inputs of its make_inputs, its check cases, and those
of its perf cases whose arguments are at most 64 MiB (512 x 4096 and 2048 x 1000 fp32, 16 MiB each); in place of its initial
kernel, which gives a row to a thread, a block-per-row kernel is evaluated, the same in all parts. The other parts are a
workload of the same operation whose inputs are generated on the GPU, with two check cases. `example`: the same two perf cases;
`mib64`: 512 x 4096 and 2048 x 4096 (64 MiB); `logits`: 1024 x 131072 (1 GiB). Every candidate differs in a number in its
source, so nothing of it is in the compile cache. Before the count begins, candidates are
evaluated so that the expected outputs of the session's seed pool are cached (four; of `logits` one, which draws most of it).
Each is evaluated against no incumbent:
compiled, verified with three seeds a case, timed with 10 + 100 launches a perf case, timed outputs verified."""


def main() -> int:
    """Every part; 1 if the target was missed or a candidate did not pass."""
    options = parse_options(__doc__, [("--count", {"type": int, "default": 24, "help": "candidates of a part"})])
    study = Study("turnaround", PROTOCOL, options)
    kernel = load_kernels("softmax", options).initial
    for part, workload in workloads(options).items():
        count, warm_ups = (options.count, 4) if part in WITHIN_LIMIT else (max(2, options.count // 8), 1)
        missing = count - sum(row["part"] == part for row in study.rows)
        if missing > 0 and study.time_left:
            with open_bench(workload, options.device, secrets.token_hex(32), bench_options()) as bench:
                study.describe(machine_of(bench.device))
                _fill_caches(bench, kernel, warm_ups)
                _measure(bench, kernel, part, missing, study)
    return _report(study)


def workloads(options: argparse.Namespace) -> dict[str, Workload]:
    """Part -> its workload; without those that the command line leaves no perf case."""
    example, generated = load_workload(EXAMPLE), load_kernels("softmax", options)
    chosen = [c for c in example.cases if not options.cases or c.name in options.cases]
    small = [c for c in chosen if c.kind is CaseKind.CHECK or case_bytes(example, c) <= LARGEST_BYTES]
    parts = {EXAMPLE_PART: replace(example, cases=tuple(small))}
    for part, names in PARTS.items():
        cases = tuple(c for c in generated.cases if c.kind is CaseKind.CHECK or c.name in names)
        parts[part] = replace(generated, cases=cases)
    return {part: w for part, w in parts.items() if any(c.kind is CaseKind.PERF for c in w.cases)}


def variant(initial: Candidate, number: int) -> Candidate:
    """The same kernel with another number in its source, which no cache has seen."""
    entry = f"const float unused_{number}_{secrets.token_hex(4)} = {number}.0f;\n"
    return replace(initial, source=f"namespace {{ {entry.strip()} }}\n{initial.source}")


def _fill_caches(bench: Bench, kernel: Candidate, count: int) -> None:
    """Candidates draw from the pool of seeds, under the clock most of it: a few have met every seed."""
    for number in range(count):
        bench.evaluator.evaluate(variant(kernel, number))


def _measure(bench: Bench, kernel: Candidate, part: str, count: int, study: Study) -> None:
    for number in range(count):
        if not study.time_left:
            return
        candidate = variant(kernel, number)
        began = time.perf_counter()
        found = bench.evaluator.evaluate(candidate)
        seconds = time.perf_counter() - began
        stages = {stage: round(spent, 4) for stage, spent in found.seconds.items()}
        study.add({"part": part, "label": found.label, "seconds": round(seconds, 4), "stages": stages})


def summarize(rows: Sequence[Row]) -> dict[str, Row]:
    """Part -> medians."""
    found = {}
    for part in dict.fromkeys(row["part"] for row in rows):
        own = [row for row in rows if row["part"] == part]
        seconds = sorted(row["seconds"] for row in own)
        stages = list(dict.fromkeys(stage for row in own for stage in row["stages"]))
        found[part] = {
            "candidates": len(own),
            "passed": sum(row["label"] == "passed" for row in own),
            "median_s": statistics.median(seconds),
            "least_s": seconds[0],
            "most_s": seconds[-1],
            "stages_median_s": {s: statistics.median(row["stages"].get(s, 0.0) for row in own) for s in stages},
        }
    return found


def _report(study: Study) -> int:
    summary = summarize(study.rows)
    study.finish(summary)
    stages = list(dict.fromkeys(stage for part in summary.values() for stage in part["stages_median_s"]))
    shown = [
        (
            name,
            p["candidates"],
            p["passed"],
            p["median_s"],
            p["least_s"],
            p["most_s"],
            *map(p["stages_median_s"].get, stages),
        )
        for name, p in summary.items()
    ]
    print_table("turn-around in s", ("part", "n", "passed", "median", "least", "most", *stages), shown)
    passed = all(part["passed"] == part["candidates"] for part in summary.values())
    fast = all(summary.get(part, {"median_s": LIMIT_S})["median_s"] < LIMIT_S for part in WITHIN_LIMIT)
    return 0 if passed and fast else 1


if __name__ == "__main__":
    sys.exit(main())
