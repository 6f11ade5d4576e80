"""Sessions on one GPU: while one measures, no process of another starts or ends there, and nobody waits for ever."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from device.gpu.conftest import OpenGpu
from device.gpu.kernels import measure_request, ran, scale_request
from device.gpu.test_pool import settled
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.gpu.process import turns
from warpwright.device.gpu.process.pool import MOST_LIVING, SPARES
from warpwright.device.gpu.process.turns import Turns
from warpwright.device.measuring import Measured
from warpwright.errors import InfrastructureError
from warpwright.isolation.file_lock import shared_lock

SHARED = pytest.mark.skipif(sys.platform == "win32", reason="no shared locks there")


@pytest.fixture(autouse=True)
def own_locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All stand-ins have one UUID: other tests that run meanwhile are no part of these."""
    monkeypatch.setattr(turns, "machine_folder", lambda: tmp_path)


def others(device: GpuDevice) -> Turns:
    """Those of another session on the same GPU."""
    return Turns(device.identity["uuid"], "another session")


def used(gpu: OpenGpu, compiler: Compiler) -> GpuDevice:
    """A device with all its processes, of which one has been used: it is to end, and another to start, at the next `rest`."""
    device = gpu()
    ran(device.run(scale_request(compiler)))
    device.rest()
    settled(device, MOST_LIVING)
    device.settle()
    device.renew()
    return device


def changes(device: GpuDevice, before: frozenset[int], patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        if device.process_ids != before:
            return True
        time.sleep(0.005)
    return False


def returns(call: Callable[[], None], patience_s: float = 3.0) -> bool:
    """Whether a call comes back in time."""
    calling = threading.Thread(target=call)
    calling.start()
    calling.join(patience_s)
    return not calling.is_alive()


def test_while_another_session_measures_no_process_starts_or_ends(gpu: OpenGpu, compiler: Compiler) -> None:
    device = used(gpu, compiler)
    before = device.process_ids
    with others(device).measuring():
        device.rest()
        assert not changes(device, before, 1.0), "a process started or ended during somebody's measurement"
    assert changes(device, before, 10.0), "and behind it they do"
    assert len(settled(device, SPARES)) == SPARES


def test_a_session_that_measures_does_not_wait_for_processes_that_wait_themselves(
    gpu: OpenGpu, compiler: Compiler
) -> None:
    device = used(gpu, compiler)
    before = device.process_ids
    with others(device).measuring():
        device.rest()
        time.sleep(0.1)
        assert returns(device.settle)
    assert not changes(device, before, 0.2), "what was settled meanwhile does not begin later"
    device.rest()
    assert changes(device, before, 10.0), "until it is wanted again"


def test_a_session_ends_while_its_processes_wait(gpu: OpenGpu, compiler: Compiler) -> None:
    device = used(gpu, compiler)
    with others(device).measuring():
        device.rest()
        time.sleep(0.1)
        assert returns(device.close)


@SHARED
def test_a_measurement_waits_for_a_process_of_another_session(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    answers: list[object] = []
    measuring = threading.Thread(target=lambda: answers.append(device.measure(measure_request(compiler))))
    with others(device).unmeasured(lambda: False) as allowed:
        assert allowed
        measuring.start()
        measuring.join(1.0)
        assert answers == [], "it did not wait"
    measuring.join(30.0)
    assert isinstance(answers[0], Measured)


@SHARED
def test_a_process_of_another_session_that_never_stands_is_named(
    gpu: OpenGpu, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = gpu()
    ran(device.run(scale_request(compiler)))
    monkeypatch.setattr(turns, "PATIENCE_S", 0.2)
    with (
        shared_lock(others(device).quiet, 5.0),
        pytest.raises(InfrastructureError, match=r"starting or ending for 0\.2 s"),
    ):
        device.measure(measure_request(compiler))


def test_two_devices_of_one_process_take_turns(gpu: OpenGpu, compiler: Compiler) -> None:
    devices = [gpu(), gpu()]
    found: list[object] = []

    def work(device: GpuDevice) -> None:
        for _ in range(6):
            device.renew()
            found.append(ran(device.run(scale_request(compiler))))
            device.renew()
            found.append(device.measure(measure_request(compiler)))
            device.rest()

    threads = [threading.Thread(target=work, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert not any(thread.is_alive() for thread in threads)
    assert len(found) == 24


@pytest.mark.skipif(sys.platform == "win32", reason="other variables name the folder there")
def test_sessions_with_other_folders_for_temporary_files_take_turns_too(tmp_path: Path) -> None:
    told = "from warpwright.device.gpu.process.turns import Turns; t = Turns('GPU-1', 'g'); print(t.requests, t.quiet)"

    def command(more: dict[str, str]) -> str:
        environment = {**os.environ, **more}
        return subprocess.run(
            [sys.executable, "-c", told], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert (
        command({"TMPDIR": str(tmp_path)})
        == command({})
        == "/tmp/warpwright-GPU-1.lock /tmp/warpwright-GPU-1.quiet.lock\n"
    )


def test_a_lock_that_cannot_be_taken_is_named(tmp_path: Path) -> None:
    (tmp_path / "warpwright-GPU-1.lock").mkdir()
    with pytest.raises(InfrastructureError) as told, Turns("GPU-1", "g").alone():
        pass
    assert str(told.value).startswith(
        f"{tmp_path / 'warpwright-GPU-1.lock'}: sessions take turns on the GPU by locking"
    )
