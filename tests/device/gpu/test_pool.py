"""Processes between candidates: parked while something is measured, replaced behind it, never many."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from device.gpu.conftest import OpenGpu
from device.gpu.kernels import measure_request, ran, scale_request
from harness.building import Built
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu import device as gpu_device
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.gpu.process.pool import MOST_LIVING, SPARES, SPARES_VERIFYING
from warpwright.device.gpu.wire import time as wire_time
from warpwright.device.measuring import Measured, MeasureRequest
from warpwright.device.registry import DeviceOptions, open_device


@pytest.fixture
def spins(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the GPU was to be kept busy before each schedule, in ms."""
    asked: list[float] = []
    message = wire_time.time_message

    def recorded(request: MeasureRequest, sets: int) -> object:
        asked.append(request.spin_ms)
        return message(request, sets)

    monkeypatch.setattr(gpu_device, "time_message", recorded)
    return asked


def settled(device: GpuDevice, count: int, patience_s: float = 10.0) -> frozenset[int]:
    """The processes, once there are as many."""
    deadline = time.monotonic() + patience_s
    while len(device.process_ids) != count and time.monotonic() < deadline:
        time.sleep(0.01)
    return device.process_ids


def test_a_process_is_parked_during_a_benchmark_and_ends_behind_it(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    device.rest()
    settled(device, SPARES)
    ran(device.run(scale_request(compiler)))
    verifying = device.worker_pid
    device.rest()
    settled(device, MOST_LIVING)
    device.settle()
    device.renew()
    for _ in range(2):
        assert isinstance(device.measure(measure_request(compiler)), Measured)
    benchmark = device.worker_pid
    time.sleep(0.2)
    assert {verifying, benchmark} <= device.process_ids, "nothing ends before the benchmark has"
    assert len(device.process_ids) == MOST_LIVING
    device.rest()
    deadline = time.monotonic() + 10
    while verifying in device.process_ids and time.monotonic() < deadline:
        time.sleep(0.01)
    assert verifying not in device.process_ids
    assert benchmark == device.worker_pid
    assert len(settled(device, MOST_LIVING)) == MOST_LIVING, "and others are made ready"


def test_there_are_never_more_than_three_processes(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    seen = []
    for number in range(12):
        device.renew()
        if number % 3:
            device.measure(measure_request(compiler))
        else:
            ran(device.run(scale_request(compiler)))
        seen.append(len(device.process_ids))
    assert max(seen) <= MOST_LIVING


def test_a_benchmark_finds_a_process_that_stands_ready(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    ran(device.run(scale_request(compiler)))
    settled(device, 1 + SPARES_VERIFYING)
    device.settle()
    before = device.process_ids  # a second spare may have begun before
    device.renew()
    device.measure(measure_request(compiler))
    assert device.worker_pid in before
    assert device.process_ids == before


def test_while_a_candidate_is_verified_only_its_benchmark_is_provided_for(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    ran(device.run(scale_request(compiler)))
    settled(device, MOST_LIVING)
    for _ in range(2):
        device.renew()
        ran(device.run(scale_request(compiler)))
    deadline = time.monotonic() + 10
    while len(device.process_ids) > 1 + SPARES_VERIFYING and time.monotonic() < deadline:
        time.sleep(0.01)  # those that are parked end
    time.sleep(0.3)
    assert len(device.process_ids) == 1 + SPARES_VERIFYING, "the benchmark would wait for another that is being started"
    device.rest()
    assert len(settled(device, 1 + SPARES)) == 1 + SPARES, "and behind it there is time for the next verification's"


@pytest.mark.skipif(sys.platform == "win32", reason="the harness is wrapped in a shell script")
def test_two_processes_start_at_once(
    standin: Callable[..., DeviceOptions], compiler: Compiler, built: Built, tmp_path: Path
) -> None:
    slow = tmp_path / "slow-harness"
    slow.write_text(f'#!/bin/sh\n[ -e "{tmp_path}/slow" ] && sleep 60\nexec "{built.harness}" "$@"\n')
    slow.chmod(0o755)
    device = open_device("gpu:0", replace(standin(), harness=slow, sandboxed=False))
    assert isinstance(device, GpuDevice)
    with device:
        device.prepare(compiler)
        ran(device.run(scale_request(compiler)))
        if len(settled(device, 1 + SPARES_VERIFYING, 2.0)) > 1 + SPARES_VERIFYING:
            device.renew()  # a second spare had begun before the run: it is used up
            ran(device.run(scale_request(compiler)))
        before = settled(device, 1 + SPARES_VERIFYING)
        device.settle()
        (tmp_path / "slow").touch()
        device.renew()
        ran(device.run(scale_request(compiler)))
        device.rest()
        deadline = time.monotonic() + 10
        while len(device.process_ids - before) < SPARES and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(device.process_ids - before) == SPARES, "neither has waited for the other, which has not greeted yet"


def test_a_gpu_that_was_just_measured_on_needs_less_warming_up(
    gpu: OpenGpu, compiler: Compiler, spins: list[float]
) -> None:
    device = gpu()
    request = measure_request(compiler, spin_ms=30.0)
    for pause_s, renewed in ((0.0, False), (0.0, False), (0.1, False), (0.0, True)):
        time.sleep(pause_s)
        if renewed:
            device.renew()
        device.measure(request)
    assert spins == [30.0, gpu_device.WARM_SPIN_MS, 30.0, 30.0]
