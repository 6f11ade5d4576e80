"""Whole evaluations through the real harness on the stand-in driver: real NVRTC, real wire, a GPU that misbehaves."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.conftest import WORKLOAD
from harness.building import BuildUnavailable, Built, build
from warpwright.benchmark.series import Series
from warpwright.candidate.candidate import Candidate
from warpwright.device.gpu import device as gpu_device
from warpwright.device.gpu.wire import time as wire_time
from warpwright.device.measuring import MeasureRequest
from warpwright.device.protocol import TimeSource
from warpwright.device.registry import DeviceOptions
from warpwright.evaluation.bench import Bench, BenchOptions, open_bench
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.evaluation.timing import measuring_timer, timed_outputs
from warpwright.verifier.host_values import HostValues
from warpwright.workload.model import Case, Workload

OpenBench = Callable[..., Bench]
VERIFYING = 60
"""More launches than verification takes, fewer than it and the clock take together."""


@pytest.fixture(scope="module")
def small(make_workload: Callable[..., Workload]) -> Workload:
    """Without a case of a million elements, since the stand-in computes on the CPU."""
    return make_workload(files={"workload.toml": WORKLOAD.replace("{ n = 1000000 }", "{ n = 3000 }")})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Copies: a build that goes on meanwhile must not change the program under a test."""
    try:
        found = build()
    except BuildUnavailable as missing:
        pytest.skip(f"the harness cannot be built: {missing}")
    folder = tmp_path_factory.mktemp("built")
    return Built(*(Path(shutil.copy(path, folder)) for path in (found.harness, found.driver, found.old_driver)))


@pytest.fixture
def on_standin(small: Workload, built: Built, tmp_path: Path) -> Iterator[OpenBench]:
    """A bench on the stand-in driver; settings: those of its kernel, general: those of the GPU, words: of --device."""
    opened: list[Bench] = []

    def make(general: dict[str, Any] | None = None, words: str = "gpu:0", **settings: Any) -> Bench:
        folder = tmp_path / f"driver{len(opened)}"
        folder.mkdir()
        library = folder / built.driver.name
        shutil.copy(built.driver, library)
        usual: dict[str, Any] = {"duration_us": 30.0} | settings
        known = {"l2_bytes": 1 << 20, "memory_bytes": 1 << 30, "kernels": {"axpb": usual}} | (general or {})
        Path(f"{library}.json").write_text(json.dumps(known), encoding="utf-8")
        device = DeviceOptions(driver=library, harness=built.harness)
        options = BenchOptions(cache_directory=tmp_path / "cache", device=device)
        opened.append(open_bench(small, words, "the secret", options))
        return opened[-1]

    yield make
    for bench in opened:
        bench.close()


def evaluated(bench: Bench) -> Evaluation:
    return bench.evaluator.evaluate(initial(bench))


def initial(bench: Bench) -> Candidate:
    return bench.evaluator.workload.initial


def test_an_honest_kernel_is_verified_and_measured(on_standin: OpenBench) -> None:
    bench = on_standin()
    found = evaluated(bench)
    assert found.label == "passed", found.message
    for case in found.cases[2:]:
        assert case.timing is not None
        assert case.timing.source is TimeSource.MEASURED
        record = case.timing.measurement
        assert record is not None
        assert len(case.timing.samples_us) == 100
        assert record.flags == ()
        assert record.empty is not None
        assert record.empty.median_us < case.timing.median_us
        assert len(record.checked) >= 6
        assert record.identity["gpu"] == "NVIDIA Stand-in GPU"


def test_a_point_of_a_search_takes_one_process_and_a_few_launches(on_standin: OpenBench) -> None:
    bench = on_standin()
    baseline = Baseline(initial(bench), evaluated(bench))
    found = bench.evaluator.evaluate(replace(initial(bench), point={"BLOCK": 256}), against=baseline, screen=True)
    assert found.label == "passed.screened", found.message
    assert [len(case.timing.samples_us) for case in found.cases[2:] if case.timing is not None] == [10, 10]
    slow = on_standin(duration_us=300.0)
    found = slow.evaluator.evaluate(initial(slow), against=baseline, screen=True)
    assert found.label == "passed.screened", found.message
    assert found.geomean_us is not None


def test_a_copy_is_a_tie_in_a_paired_run(on_standin: OpenBench) -> None:
    bench = on_standin()
    baseline = Baseline(initial(bench), evaluated(bench))
    assert bench.evaluator.evaluate(initial(bench), against=baseline).outcome is not Outcome.IMPROVED
    figure = bench.evaluator.compare(initial(bench), initial(bench))
    assert getattr(figure, "rank", figure) == "tie"


def test_a_kernel_that_is_right_only_at_first_is_rejected(on_standin: OpenBench) -> None:
    found = evaluated(on_standin(right_until=VERIFYING))
    assert found.label == "rejected.timed_mismatch", found.message


@pytest.mark.parametrize("us", [0.0, -3.0])
def test_events_that_lie_prove_no_time(on_standin: OpenBench, us: float) -> None:
    found = evaluated(on_standin({"false_time": {"from": 0, "us": us}}))
    assert found.label == "rejected.below_hard_floor", found.message


def test_cases_are_timed_one_right_behind_the_other(on_standin: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    compared, asked = timed_outputs.check_outputs, wire_time.time_message

    def comparing(values: HostValues, case: Case, series: Series) -> object:
        done.append(f"compare {case.name}")
        return compared(values, case, series)

    def measuring(request: MeasureRequest, sets: int) -> object:
        done.extend(["measure"] * bool(request.arrays))  # an empty launch has none
        return asked(request, sets)

    monkeypatch.setattr(measuring_timer, "check_outputs", comparing)
    monkeypatch.setattr(gpu_device, "time_message", measuring)
    found = evaluated(on_standin())
    assert found.label == "passed", found.message
    assert done == ["measure", "measure", "compare timed", "compare large"]


def test_a_kernel_that_hangs_under_the_clock_costs_one_attempt(on_standin: OpenBench) -> None:
    bench = on_standin(hang=True, at=VERIFYING)
    found = evaluated(bench)
    assert found.outcome is Outcome.TIMEOUT, found.message


def test_a_fault_under_the_clock_is_named(on_standin: OpenBench) -> None:
    found = evaluated(on_standin(fault="illegal_address", at=VERIFYING))
    assert found.label == "crash.illegal_address", found.message


def test_two_gpus_give_the_verdict_of_one(on_standin: OpenBench) -> None:
    bench = on_standin({"devices": 2}, "gpu:0,1")
    found = evaluated(bench)
    assert found.label == "passed", found.message
    records = [case.timing.measurement for case in found.cases if case.timing is not None]
    assert len(records) >= 1
    for record in records:
        assert record is not None
        assert record.identity["verified_on"].split(", ")[0] == record.identity["uuid"]
        assert len(record.identity["verified_on"].split(", ")) == 2
    baseline = Baseline(initial(bench), found)
    assert bench.evaluator.evaluate(initial(bench), against=baseline).outcome is not Outcome.IMPROVED
    wrong = evaluated(on_standin({"devices": 2}, "gpu:0,1", partial=0.5))
    assert wrong.outcome is Outcome.WRONG_RESULT
    assert wrong.label == evaluated(on_standin(partial=0.5)).label


def test_a_kernel_that_is_right_only_at_first_is_rejected_on_two_gpus_as_well(on_standin: OpenBench) -> None:
    found = evaluated(on_standin({"devices": 2}, "gpu:0,1", right_until=VERIFYING))
    assert found.label == "rejected.timed_mismatch", found.message
