"""Whether `warpwright-harness run-once` serves NVIDIA's tools: compute-sanitizer finds planted bugs, ncu reads a counter.

python -m benchmarks.measurement.tools --output DIR [--device gpu:0]
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from benchmarks.measurement.machine import asked, compiled, harness_options, load_own_kernels, spoken_to
from benchmarks.measurement.study import Row, Study, parse_options, print_table

from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.process.locate import find_harness
from warpwright.device.gpu.process.pool import load

COUNT = 4096
TIME_LIMIT_S = 120
METRIC = "sm__cycles_elapsed.max"

PROTOCOL = """A small kernel is run once through the harness, which records its requests; `run-once` then repeats them under the
tool, with plain device memory. `far_write` writes 1 MiB behind its output, `race` adds to shared memory without atomics."""

_HEAD = 'extern "C" __global__ void tried(float* y, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    '
KERNELS = {
    "clean": _HEAD + "if (i < n) y[i] = i;\n}\n",
    "far_write": _HEAD + "if (i < n) y[i] = i;\n    if (i == 0) y[n + (1 << 18)] = 1.0f;\n}\n",
    "race": _HEAD + "__shared__ int sum; if (threadIdx.x == 0) sum = 0; __syncthreads();\n"
    "    sum += i; __syncthreads(); if (i < n) y[i] = sum;\n}\n",
}
RUNS = (
    ("memcheck", "clean", False),
    ("memcheck", "far_write", True),
    ("racecheck", "clean", False),
    ("racecheck", "race", True),
    ("initcheck", "clean", False),
    ("synccheck", "clean", False),
)


def main() -> int:
    """1 if a tool that is here missed its bug, accused the clean kernel or read nothing."""
    options = parse_options(__doc__)
    study = Study("tools", PROTOCOL, options)
    study.rows.clear()
    with tempfile.TemporaryDirectory() as temporary, Compiler(None, environment().nvrtc) as compiler:
        jobs = {name: record(options.device, compiler, name, Path(temporary) / name) for name in KERNELS}
        study.add(plain(jobs["clean"]))
        for tool, kernel, planted in RUNS:
            if study.time_left:
                study.add(sanitize(tool, kernel, jobs[kernel], planted=planted))
        if study.time_left:
            study.add(profile(jobs["clean"]))
    study.finish({"right": sum(row["right"] is True for row in study.rows), "runs": len(study.rows)})
    columns = ("tool", "kernel", "found", "right", "detail")
    print_table("tools", columns, [[row[c] for c in columns] for row in study.rows])
    return 1 if any(row["right"] is False for row in study.rows) else 0


def record(words: str, compiler: Compiler, name: str, folder: Path) -> Path:
    """Run a kernel once; the file that `run-once` takes."""
    array = {"name": "y", "role": "out", "dtype": "<f4", "shape": [COUNT], "align_bytes": 4, "zeroed": False}
    scalar = {"name": "n", "hex": np.int32(COUNT).tobytes().hex()}
    launch = {
        "symbol": "tried", "grid": [COUNT // 256, 1, 1], "block": [256, 1, 1], "shared_bytes": 0, "cluster": None,
        "cooperative": False, "args": ["y", "n"],
    }  # fmt: skip
    with spoken_to(words, folder) as (client, hello):
        arch = f"sm_{hello.compute_capability[0]}{hello.compute_capability[1]}"
        asked(client, "open")
        load_own_kernels(client, compiler, arch)
        load(client, "A", compiled(compiler, KERNELS[name], "tried", arch).cubin, ("tried",))
        fields = {
            "module": "A", "plan": {"launches": [launch]}, "values": {}, "poison": 255, "guard": 165,
            "arrays": [{**array, "recipe": None, "pool": []}], "scalars": [scalar], "placement": "start",
            "fill_shared": False, "plain_memory": True, "time_limit_s": 10.0, "return": [],
        }  # fmt: skip
        client.request("run", fields, time_limit_s=20.0)  # a planted bug may fault here; the job is what counts
    (job,) = folder.glob("*.job")
    return job


def _command(job: Path) -> list[str]:
    options = harness_options()
    driver = ["--driver", str(options.driver)] if options.driver else []
    return [str(find_harness(options.harness)), "run-once", str(job), *driver]


def _run(command: list[str]) -> tuple[int | None, str]:
    """Exit code and everything it said; None: it did not end in time."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None, f"did not end within {TIME_LIMIT_S} s"
    return done.returncode, done.stdout + done.stderr


def plain(job: Path) -> Row:
    """`run-once` without any tool."""
    code, text = _run(_command(job))
    return {
        "tool": "none",
        "kernel": "clean",
        "found": None,
        "right": code == 0,
        "detail": f"exit {code} {text[-300:]}",
    }


def sanitize(tool: str, kernel: str, job: Path, *, planted: bool) -> Row:
    """Under a tool of compute-sanitizer; right: None if it is not installed or said nothing."""
    row: Row = {"tool": tool, "kernel": kernel, "found": None, "right": None}
    program = shutil.which("compute-sanitizer")
    if program is None:
        return {**row, "detail": "compute-sanitizer is not installed"}
    _, text = _run([program, "--tool", tool, "--print-limit", "5", *_command(job)])
    match = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)", text)
    if match is None:
        return {**row, "detail": text[-600:]}
    found = int(match[1])
    return {**row, "found": found, "right": (found > 0) == planted, "detail": match[0]}


def profile(job: Path) -> Row:
    """Under ncu; right: None if it read nothing, and then `detail` says why."""
    row: Row = {"tool": "ncu", "kernel": "clean", "found": None, "right": None}
    program = shutil.which("ncu")
    if program is None:
        return {**row, "detail": "ncu is not installed"}
    options = ["--clock-control", "none", "--metrics", METRIC, "--kernel-name", "tried", "--csv"]
    _, text = _run([program, *options, *_command(job)])
    match = re.search(rf'"{re.escape(METRIC)}","[^"]*","([\d.,]+)"', text)
    if match is None:
        return {**row, "detail": text[-600:]}
    return {**row, "found": match[1], "right": True, "detail": f"{METRIC} = {match[1]}"}


if __name__ == "__main__":
    sys.exit(main())
