"""Whether many candidates in one run leave something behind: device memory, processes, descriptors, files.

python -m benchmarks.measurement.leaks --output DIR [--device gpu:0] [--count 150]
"""

import argparse
import gc
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace

from benchmarks.measurement.machine import free_device_bytes, machine_of
from benchmarks.measurement.processes import descendants, held
from benchmarks.measurement.study import Row, Study, load_kernels, parse_options, print_table

from warpwright.cli.bench_options import bench_options
from warpwright.evaluation.bench import Bench, open_bench

CRASHES_EVERY = 10
"""One candidate in so many faults, so that replaced processes are part of the run."""

HELD = ("processes", "descriptors", "temporary", "rss_bytes")

PROTOCOL = """Workload `axpb`, one bench. Candidates differ in a comment; every tenth writes far outside its arrays and is
lost. What this process and its descendants hold is read from /proc after a warm-up of 10 candidates, then every 10; free
device memory is what a new harness process finds after opening its context, before the bench is opened and after it is
closed."""


def main() -> int:
    """1 if something grew."""
    options = parse_options(__doc__, [("--count", {"type": int, "default": 150, "help": "candidates"})])
    study = Study("leaks", PROTOCOL, options)
    study.rows.clear()  # a run that was stopped tells nothing about leaks: begin again
    with _own_temporary_folder():
        return _report(study, _run(options, study))


@contextmanager
def _own_temporary_folder() -> Iterator[None]:
    """So that only our own files are counted."""
    before, named = tempfile.tempdir, os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["TMPDIR"] = tempfile.tempdir = temporary
        try:
            yield
        finally:
            tempfile.tempdir = before
            os.environ.pop("TMPDIR")
            if named is not None:
                os.environ["TMPDIR"] = named


def _run(options: argparse.Namespace, study: Study) -> Row:
    workload = load_kernels("axpb", options)
    before = free_device_bytes(options.device)
    with open_bench(workload, options.device, secrets.token_hex(32), bench_options()) as bench:
        study.describe(machine_of(bench.device))
        began = time.monotonic()
        done = _evaluate(bench, options.count, study)
        seconds = time.monotonic() - began
    gc.collect()
    time.sleep(1.0)
    after, left = free_device_bytes(options.device), descendants()
    return {
        "candidates": done,
        "seconds": round(seconds, 1),
        "free_bytes_before": before,
        "free_bytes_after": after,
        "processes_after_close": sorted(left.values()),
    }


def _evaluate(bench: Bench, count: int, study: Study) -> int:
    initial = bench.evaluator.workload.initial
    crash = initial.source.replace("y[i] =", "y[i + (1ll << 40)] =")
    for number in range(count):
        source = crash if number % CRASHES_EVERY == CRASHES_EVERY - 1 else initial.source
        found = bench.evaluator.evaluate(replace(initial, source=f"{source}// {number} {secrets.token_hex(4)}\n"))
        if number % 10 == 9:
            study.add({"candidates": number + 1, "label": found.label, **asdict(held())})
        if not study.time_left:
            return number + 1
    return count


def growth(rows: Sequence[Row]) -> dict[str, int]:
    """What the last row holds beyond the most that any of the first fifth held: spare processes come and go."""
    first, last = rows[: max(1, len(rows) // 5)], rows[-1]
    return {name: last[name] - max(row[name] for row in first) for name in HELD}


def _report(study: Study, summary: Row) -> int:
    rows = study.rows
    grown = growth(rows)
    lost = (summary["free_bytes_before"] or 0) - (summary["free_bytes_after"] or 0)
    study.finish({**summary, "growth": grown, "device_bytes_lost": lost})
    shown = [row for number, row in enumerate(rows, 1) if number % max(1, len(rows) // 10) == 0]
    print_table("held", ("candidates", *HELD), [[row[c] for c in ("candidates", *HELD)] for row in shown])
    print_table("leaks", ("what", "value"), [*summary.items(), *grown.items(), ("device bytes lost", lost)])
    leaked = any(grown[name] > 0 for name in ("processes", "descriptors", "temporary"))
    return 1 if leaked or lost > 0 or summary["processes_after_close"] else 0


if __name__ == "__main__":
    sys.exit(main())
