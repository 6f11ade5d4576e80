"""Two GPUs of one machine as one device."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.measurement.processes import descendants

from warpwright.cli.bench_options import bench_options
from warpwright.device.driver import find_driver
from warpwright.device.measuring import ConcurrentDevice
from warpwright.errors import UsageError
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.workload.loader import load_workload

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench(device: str) -> Iterator[Bench]:
    if len(find_driver().gpus) < 2:
        pytest.skip("fewer than two GPUs")
    try:
        bench = open_bench(load_workload(ROOT / "examples" / "rmsnorm"), "gpu:0,1", "6" * 64, bench_options())
    except UsageError as unequal:
        pytest.skip(str(unequal))
    with bench:
        yield bench


def test_an_example_is_verified_on_both_and_measured_on_the_first(bench: Bench) -> None:
    evaluator = bench.evaluator
    assert isinstance(bench.device, ConcurrentDevice)
    found = evaluator.evaluate(evaluator.workload.initial)
    assert found.label == "passed", found.message
    identities = [case.timing.measurement.identity for case in found.cases if case.timing and case.timing.measurement]
    assert identities
    for identity in identities:
        first, second = identity["verified_on"].split(", ")
        assert identity["uuid"] == first != second
    again = evaluator.evaluate(evaluator.workload.initial, against=Baseline(evaluator.workload.initial, found))
    assert again.outcome is Outcome.TIE, again.message
    assert bench.device.concurrent_runs == 2, "both are still in use"


def test_nothing_is_left_behind(device: str) -> None:
    if len(find_driver().gpus) < 2:
        pytest.skip("fewer than two GPUs")
    running = set(descendants())
    with open_bench(load_workload(ROOT / "examples" / "reduce_sum"), "gpu:all", "7" * 64, bench_options()) as bench:
        assert bench.evaluator.evaluate(bench.evaluator.workload.initial).label == "passed"
    assert set(descendants()) <= running
