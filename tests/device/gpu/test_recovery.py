"""Processes that hang, die or are killed: one run is lost, nothing is left behind, and whose fault it was is decided."""

import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from device.gpu.conftest import OpenGpu
from device.gpu.kernels import fault, measure_request, ran, scale_request
from device.gpu.test_pool import settled
from warpwright.compiler.compiler import Compiler
from warpwright.device.canary import run_canary
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.gpu.process import pool, recovery, turns
from warpwright.device.gpu.process.pool import SPARES_VERIFYING
from warpwright.device.protocol import FaultKind
from warpwright.device.registry import DeviceOptions, open_device
from warpwright.errors import InfrastructureError
from warpwright.isolation.file_lock import file_lock, machine_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")


def gone(pid: int | None, patience_s: float = 5.0) -> bool:
    """True once no such process is left, not even a zombie of ours."""
    assert pid is not None
    deadline = time.monotonic() + patience_s
    while Path(f"/proc/{pid}").exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def ended(pid: int, patience_s: float = 5.0) -> bool:
    """True once a process runs no more; it may be a zombie that nobody has asked about yet."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def inside(pid: int) -> list[int]:
    """The process and all its descendants."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def kill_when_running(device: GpuDevice, delay_s: float) -> threading.Timer:
    def kill() -> None:
        pid = device.worker_pid
        assert pid is not None
        os.kill(inside(pid)[-1], signal.SIGKILL)

    timer = threading.Timer(delay_s, kill)
    timer.start()
    return timer


def test_a_hang_ends_at_its_limit_and_the_next_run_works(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu(kernels={"scale": {"hang": True}})
    assert run_canary(device, compiler) is None
    family = inside(device.worker_pid or 0)
    started = time.monotonic()
    found = fault(device.run(scale_request(compiler, time_limit_s=0.5)))
    assert time.monotonic() - started < 5
    assert (found.kind, found.entry) == (FaultKind.TIMEOUT, "scale")
    assert all(gone(pid) for pid in family)
    assert run_canary(device, compiler) is None


def test_a_hang_under_the_clock_is_a_timeout_of_timing(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu(kernels={"scale": {"hang": True}})
    found = fault(device.measure(measure_request(compiler, time_limit_s=1.0)))
    assert found.kind is FaultKind.TIMING
    assert run_canary(device, compiler) is None


def test_a_process_killed_from_outside_costs_nothing(
    gpu: OpenGpu, compiler: Compiler, caplog: pytest.LogCaptureFixture
) -> None:
    device = gpu(kernels={"scale": {"real_ms": 1500}})
    assert run_canary(device, compiler) is None
    timer = kill_when_running(device, 0.7)
    assert ran(device.run(scale_request(compiler))).arrays["y"][3] == 6
    timer.join()
    assert "once more in a fresh process" in caplog.text


def test_a_process_that_dies_twice_is_the_candidates_fault(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu(kernels={"scale": {"real_ms": 2000}})
    assert run_canary(device, compiler) is None
    timers = [kill_when_running(device, 0.7), kill_when_running(device, 2.2)]
    found = fault(device.run(scale_request(compiler)))
    for timer in timers:
        timer.join()
    assert found.kind is FaultKind.PROCESS_ENDED
    assert "ended twice" in found.message
    assert run_canary(device, compiler) is None


def test_a_gpu_that_fails_the_canary_twice_stops_the_run(
    gpu: OpenGpu, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_PAUSE_S", 0.01)
    device = gpu(kernels={"scale": {"fault": "illegal_address"}, "saxpy": {"partial": 0.5}})
    assert fault(device.run(scale_request(compiler))).kind is FaultKind.ILLEGAL_ADDRESS
    with pytest.raises(InfrastructureError) as sick:
        device.run(scale_request(compiler))
    text = str(sick.value)
    assert text.startswith(
        "the GPU is not usable: a known-good kernel failed 2 times in a row, last: the canary kernel"
    )
    assert "resume the session" in text


def test_a_process_that_died_between_two_runs_is_replaced(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    ran(device.run(scale_request(compiler)))
    pid = device.worker_pid
    assert pid is not None
    os.kill(inside(pid)[-1], signal.SIGKILL)
    time.sleep(0.2)
    ran(device.run(scale_request(compiler)))
    assert device.worker_pid != pid


def test_of_processes_that_are_killed_nothing_stays_open(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    ran(device.run(scale_request(compiler)))
    killed = settled(device, 1 + SPARES_VERIFYING)
    for pid in killed:
        os.kill(inside(pid)[-1], signal.SIGKILL)
    time.sleep(0.2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        ran(device.run(scale_request(compiler)))
        gc.collect()
    assert [str(each.message) for each in told] == []
    assert not killed & device.process_ids


def stays(device: GpuDevice, pids: set[int | None], patience_s: float = 10.0) -> bool:
    """True once the processes have been these for a while: of two that begin at once, one may end before the other is there."""
    deadline = since = time.monotonic()
    deadline += patience_s
    while time.monotonic() < deadline:
        if device.process_ids != pids:
            since = time.monotonic()
        elif time.monotonic() > since + 0.3:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_process_that_does_not_come_up_is_not_counted_and_others_end_all_the_same(
    standin: Callable[..., DeviceOptions], compiler: Compiler, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(pool, "_AT_ONCE", at_once)
    options = standin()
    device = open_device("gpu:0", options)
    assert isinstance(device, GpuDevice)
    with device:
        device.prepare(compiler)
        ran(device.run(scale_request(compiler)))
        settled(device, 1 + SPARES_VERIFYING)
        device.settle()
        assert options.driver is not None
        options.driver.unlink()
        for _ in range(len(device.process_ids) - 1):  # a second spare may have begun before: each is used up
            device.renew()
            ran(device.run(scale_request(compiler)))  # in a spare; the one that is to follow finds no driver
        assert stays(device, {device.worker_pid})
        assert all(Path(f"/proc/{pid}").exists() for pid in device.process_ids)


def test_a_gpu_in_use_by_another_process_is_waited_for_and_then_named(
    gpu: OpenGpu, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE_S", 0.2)
    device = gpu()
    path = machine_folder() / f"warpwright-{device.identity['uuid']}.lock"
    with file_lock(path, 60), pytest.raises(InfrastructureError) as busy:
        device.measure(measure_request(compiler))
    assert f"(gpu:0) has been in use by process {os.getpid()} for 0.2 s" in str(busy.value)
    assert run_canary(device, compiler) is None


def test_closing_ends_every_process(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    assert run_canary(device, compiler) is None
    families = [pid for leader in device.process_ids for pid in inside(leader)]
    assert len(device.process_ids) >= 1
    device.close()
    assert all(gone(pid) for pid in families)
    assert device.process_ids == frozenset()


@pytest.mark.slow
def test_a_thousand_candidates_leave_nothing_behind(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    request = scale_request(compiler)
    ran(device.run(request))
    count: Callable[[], int] = lambda: len(list(Path("/proc/self/fd").iterdir()))  # noqa: E731
    before = count()
    for number in range(1000):
        ran(device.run(request))
        if number % 10 == 0:
            assert run_canary(device, compiler) is None  # another module takes its place
    assert count() <= before + 8  # a spare process may have come up meanwhile
    for _ in range(20):
        device.renew()
        ran(device.run(request))
    time.sleep(0.5)
    assert count() <= before + 16
    assert len(device.process_ids) <= 3
