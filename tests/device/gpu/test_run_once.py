"""A run handed out as a command: the real harness repeats it, on the stand-in driver."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from device.gpu.kernels import scale_request
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.protocol import RunOnce, RunOnceDevice
from warpwright.device.registry import DeviceOptions, open_device
from warpwright.errors import DeviceUnavailable
from warpwright.isolation.file_lock import LockBusy, file_lock

OpenGpu = Callable[..., GpuDevice]


def started(once: RunOnce, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        once.command, env=dict(once.environment), cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_command_runs_the_plan_once(gpu: OpenGpu, compiler: Compiler, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    device = gpu(log=str(log))
    assert isinstance(device, RunOnceDevice)
    folder = tmp_path / "job"
    folder.mkdir()
    once = device.run_once(scale_request(compiler), folder)
    done = started(once, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert once.entries == ("scale",)
    assert log.read_text(encoding="utf-8").count('"scale"') == 1
    assert "HOME" not in once.environment


def test_a_fault_of_the_candidate_is_an_exit_code(gpu: OpenGpu, compiler: Compiler, tmp_path: Path) -> None:
    device = gpu(kernels={"scale": {"fault": "illegal_address"}})
    done = started(device.run_once(scale_request(compiler), tmp_path), tmp_path)
    assert done.returncode != 0
    assert '"illegal_address"' in done.stdout


def test_each_launch_of_a_plan_is_named(gpu: OpenGpu, compiler: Compiler, tmp_path: Path) -> None:
    request = scale_request(compiler)
    twice = replace(request, plan=replace(request.plan, launches=request.plan.launches * 2))
    assert gpu().run_once(twice, tmp_path).entries == ("scale", "scale")


def test_the_lock_is_the_one_that_runs_take(gpu: OpenGpu, compiler: Compiler, tmp_path: Path) -> None:
    device = gpu()
    lock = device.run_once(scale_request(compiler), tmp_path).lock
    assert lock is not None
    with file_lock(lock, 60), pytest.raises(LockBusy), file_lock(lock, 0):  # other tests on the stand-in take it, too
        pass
    assert device.identity["uuid"] in lock.name


def test_a_gpu_behind_a_command_cannot_be_watched(
    standin: Callable[..., DeviceOptions], compiler: Compiler, tmp_path: Path
) -> None:
    options = standin()
    with open_device(f"command:{options.harness} --driver {options.driver}", options) as device:  # type: ignore[attr-defined]
        device.prepare(compiler)
        with pytest.raises(DeviceUnavailable, match="on the machine that has the GPU"):
            device.run_once(scale_request(compiler), tmp_path)
