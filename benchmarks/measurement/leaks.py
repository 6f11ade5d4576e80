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
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from benchmarks.measurement.machine import free_device_bytes, machine_of
from benchmarks.measurement.processes import Held, descendants, held
from benchmarks.measurement.study import Row, Study, load_kernels, parse_options, print_table

from warpwright.cli.bench_options import bench_options
from warpwright.evaluation.bench import Bench, open_bench

CRASHES_EVERY = 10
"""One candidate in so many faults, so that replaced processes are part of the run."""

HELD = ("processes", "descriptors", "temporary", "rss_bytes")

CLOSED_S = 10.0
"""How long processes may take to be gone once the bench is closed."""

PROTOCOL = """Workload `axpb`, one bench. Candidates differ in a comment; every tenth writes far outside its arrays and is
lost. What this process and its descendants hold is read from /proc after every candidate; a row keeps the least and the
most of ten readings, since spare processes come and go. Growth is the least of the last row beyond the most of the first
fifth. Once the bench is closed, every process that was not there before must end within ten seconds. Free device memory
is what a new harness process finds after opening its context, before the bench is opened and after it is closed."""


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
    before, others = free_device_bytes(options.device), descendants().keys()
    with open_bench(workload, options.device, secrets.token_hex(32), bench_options()) as bench:
        study.describe(machine_of(bench.device))
        began = time.monotonic()
        done = _evaluate(bench, options.count, study)
        seconds = time.monotonic() - began
    gc.collect()
    left = left_behind(others)
    after = free_device_bytes(options.device)
    return {
        "candidates": done,
        "seconds": round(seconds, 1),
        "free_bytes_before": before,
        "free_bytes_after": after,
        "processes_after_close": left,
    }


def left_behind(others: Collection[int]) -> list[str]:
    """Names of the processes that have come since and do not end in time. others: process ids that are not ours."""
    deadline = time.monotonic() + CLOSED_S
    while left := {pid: name for pid, name in descendants().items() if pid not in others}:
        if time.monotonic() >= deadline:
            break
        time.sleep(0.05)
    return sorted(left.values())


def _evaluate(bench: Bench, count: int, study: Study) -> int:
    initial = bench.evaluator.workload.initial
    crash = initial.source.replace("y[i] =", "y[i + (1ll << 40)] =")
    readings: list[Held] = []
    for number in range(count):
        source = crash if number % CRASHES_EVERY == CRASHES_EVERY - 1 else initial.source
        found = bench.evaluator.evaluate(replace(initial, source=f"{source}// {number} {secrets.token_hex(4)}\n"))
        readings.append(held())
        if number % 10 == 9:
            study.add({"candidates": number + 1, "label": found.label, **span(readings)})
            readings.clear()
        if not study.time_left:
            return number + 1
    return count


def span(readings: Sequence[Held]) -> Row:
    """The least of each quantity under its name, and the most of it."""
    each = {name: [getattr(reading, name) for reading in readings] for name in HELD}
    return {name: min(values) for name, values in each.items()} | {f"most_{name}": max(each[name]) for name in HELD}


def growth(rows: Sequence[Row]) -> dict[str, int]:
    """By how much the least of the last row is more than the most of the first fifth; 0 or less where nothing stays."""
    first, last = rows[: max(1, len(rows) // 5)], rows[-1]
    return {name: last[name] - max(row[f"most_{name}"] for row in first) for name in HELD}


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
