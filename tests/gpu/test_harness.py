"""What the harness is like on a GPU: quick to answer, clean when it ends, usable under NVIDIA's tools."""

import statistics
import time
from pathlib import Path

import pytest
from benchmarks.measurement.machine import asked, free_device_bytes, spoken_to
from benchmarks.measurement.processes import descendants
from benchmarks.measurement.tools import KERNELS, RUNS, plain, profile, record, sanitize

from warpwright.cli.bench_options import bench_options
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.evaluation.bench import open_bench
from warpwright.workload.loader import load_workload

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[2]


def test_a_message_is_answered_within_a_millisecond(device: str) -> None:
    with spoken_to(device) as (client, _):
        asked(client, "open")
        taken = []
        for _ in range(200):
            began = time.perf_counter()
            asked(client, "heartbeat")
            taken.append(time.perf_counter() - began)
    assert statistics.median(taken) < 1e-3


def test_nothing_is_left_behind(device: str) -> None:
    before, running = free_device_bytes(device), set(descendants())
    workload = load_workload(ROOT / "examples" / "reduce_sum")
    with open_bench(workload, device, "5" * 64, bench_options()) as bench:
        assert bench.evaluator.evaluate(workload.initial).label == "passed"
    assert set(descendants()) <= running
    assert free_device_bytes(device) == before


@pytest.fixture(scope="module")
def jobs(device: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Kernel -> a recorded job for `run-once`."""
    folder = tmp_path_factory.mktemp("jobs")
    with Compiler(None, environment().nvrtc) as compiler:
        return {name: record(device, compiler, name, folder / name) for name in KERNELS}


def test_a_job_runs_again(jobs: dict[str, Path]) -> None:
    row = plain(jobs["clean"])
    assert row["right"], row["detail"]


@pytest.mark.parametrize(("tool", "kernel", "planted"), RUNS)
def test_compute_sanitizer_is_right(jobs: dict[str, Path], tool: str, kernel: str, planted: bool) -> None:
    row = sanitize(tool, kernel, jobs[kernel], planted=planted)
    if row["right"] is None:
        pytest.skip(row["detail"])
    assert row["right"], row["detail"]


def test_ncu_reads_a_counter(jobs: dict[str, Path]) -> None:
    row = profile(jobs["clean"])
    if row["right"] is None:
        pytest.skip(row["detail"])
    assert row["found"]
