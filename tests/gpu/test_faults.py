"""A candidate that kills its process costs one attempt; the next one measures as before."""

import argparse
import secrets
from collections.abc import Iterator

import pytest
from benchmarks.measurement.faults import FAULTS, Fault, attempted, honest_variant
from benchmarks.measurement.machine import free_device_bytes
from benchmarks.measurement.study import load_kernels

from warpwright.cli.bench_options import bench_options
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Evaluation

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def free(device: str) -> int | None:
    return free_device_bytes(device)


@pytest.fixture(scope="module")
def bench(device: str, free: int | None) -> Iterator[Bench]:
    workload = load_kernels("axpb", argparse.Namespace(cases=["one", "small"]))
    with open_bench(workload, device, secrets.token_hex(32), bench_options()) as bench:
        yield bench


@pytest.fixture(scope="module")
def first(bench: Bench) -> Evaluation:
    return bench.evaluator.evaluate(honest_variant(bench))


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_one_attempt_is_lost(bench: Bench, fault: Fault, first: Evaluation, free: int | None) -> None:
    row = attempted(bench, fault, first, free)
    assert row["right"], f"{row['label']}: {row['message']}"
    assert row["next_right"], f"next: {row['next_label']}, {row['time_ratio']} of the first time"
