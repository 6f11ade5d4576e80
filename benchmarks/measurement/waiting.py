"""How long candidates wait for harness processes that take as long to start and to end as those of a real driver.

    python scripts/harness.py                                              # builds the harness and the stand-in driver
    export WARPWRIGHT_HARNESS=build/harness-tests/harness/warpwright-harness
    export WARPWRIGHT_DRIVER=build/harness-tests/standin/libstandin_cuda.so
    python -m benchmarks.measurement.waiting --output DIR [--start 0.25] [--end 0.05] [--count 24]

Needs no GPU. On Linux and macOS, since the delays are a shell script around the harness.
"""

import secrets
import shlex
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.measurement.machine import machine_of
from benchmarks.measurement.study import Study, load_kernels, parse_options, print_table
from benchmarks.measurement.turnaround import summarize, variant

from warpwright.cli.bench_options import bench_options
from warpwright.device.gpu.process.locate import find_harness
from warpwright.evaluation.bench import Bench, BenchOptions, open_bench

CASES = ["one", "small"]
"""Small ones, since the stand-in driver computes on the CPU."""
WARM_UPS = 2

PROTOCOL = """Workload `axpb`, one check case and one perf case of 65,536 elements, on the stand-in driver (or any other),
with a harness that begins {start:g} s after it is started and ends {end:g} s late: `roundtrip` found 0.25 s for `hello` and
`open` on an H200; the end is a guess. Every candidate differs in a number in its source; two are evaluated before the count
begins, the others follow at once. Times under the clock are the stand-in's work on the CPU, and nothing like a GPU's;
outputs are so small that their comparison leaves no time for processes to start in."""


def main() -> int:
    """1 if a candidate did not pass."""
    options = parse_options(
        __doc__,
        [
            ("--count", {"type": int, "default": 24, "help": "candidates"}),
            ("--start", {"type": float, "default": 0.25, "help": "seconds before the harness begins"}),
            ("--end", {"type": float, "default": 0.05, "help": "seconds behind its end"}),
        ],
    )
    options.cases = options.cases or CASES
    study = Study("waiting", PROTOCOL.format(start=options.start, end=options.end), options)
    with tempfile.TemporaryDirectory() as folder:
        slow = slow_harness(bench_options(), Path(folder), options.start, options.end)
        workload = load_kernels("axpb", options)
        with open_bench(workload, options.device, secrets.token_hex(32), slow) as bench:
            study.describe(machine_of(bench.device))
            for number in range(WARM_UPS):
                bench.evaluator.evaluate(variant(workload.initial, number))
            for number in range(len(study.rows), options.count):
                if study.time_left:
                    _measure(bench, number, study)
    return _report(study)


def slow_harness(options: BenchOptions, folder: Path, start_s: float, end_s: float) -> BenchOptions:
    """The same with delays around the harness. folder: for the script; outside of any sandbox, which would not see it."""
    program = shlex.quote(str(find_harness(options.device.harness)))
    script = folder / "slow-harness"
    script.write_text(
        f'#!/bin/sh\nsleep {start_s}\n{program} "$@"\ncode=$?\nsleep {end_s}\nexit $code\n', encoding="utf-8"
    )
    script.chmod(0o755)
    return replace(options, device=replace(options.device, harness=script, sandboxed=False))


def _measure(bench: Bench, number: int, study: Study) -> None:
    candidate = variant(bench.evaluator.workload.initial, number)
    began = time.perf_counter()
    found = bench.evaluator.evaluate(candidate)
    seconds = time.perf_counter() - began
    stages = {stage: round(spent, 4) for stage, spent in found.seconds.items()}
    study.add({"part": "small", "label": found.label, "seconds": round(seconds, 4), "stages": stages})


def _report(study: Study) -> int:
    summary = summarize(study.rows)
    study.finish(summary)
    for part in summary.values():
        stages = part["stages_median_s"]
        columns = ("n", "passed", "median", "least", "most", *stages)
        figures = (part[name] for name in ("candidates", "passed", "median_s", "least_s", "most_s"))
        print_table("turn-around in s", columns, [(*figures, *stages.values())])
    return 0 if all(part["passed"] == part["candidates"] for part in summary.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
