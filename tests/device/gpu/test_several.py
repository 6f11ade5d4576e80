"""Several GPUs as one device: who takes times, who verifies, what happens when one of them goes."""

import json
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from device.gpu.kernels import measure_request, ran, scale_request
from device.gpu.test_recovery import ended, gone, inside, kill_when_running
from warpwright.compiler.compiler import Compiler
from warpwright.device.canary import run_canary
from warpwright.device.finding import Status
from warpwright.device.gpu.choice import inequality
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.gpu.process import recovery
from warpwright.device.gpu.process.execution import UnusableGpu
from warpwright.device.gpu.several import SeveralGpus
from warpwright.device.gpu_findings import gpu_findings
from warpwright.device.measuring import ConcurrentDevice, Measured, MeasuringDevice
from warpwright.device.registry import DeviceOptions, harness_options, open_device
from warpwright.errors import DeviceUnavailable, UsageError
from warpwright.hardware import load_gpu

Standin = Callable[..., DeviceOptions]
OpenSeveral = Callable[..., SeveralGpus]
_HELLO = re.compile(rb'"op":\s*"hello".*?"device":\s*(\d+)')
_REQUEST = re.compile(rb'"id":\s*\d+,\s*"op":\s*"(run|time)"')


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Folder of the requests to every harness."""
    return tmp_path / "requests"


@pytest.fixture
def several(standin: Standin, compiler: Compiler, log: Path) -> Iterator[OpenSeveral]:
    """Opens and prepares `words`; settings: of the stand-in."""
    opened: list[SeveralGpus] = []

    def make(words: str = "gpu:0,1", **settings: Any) -> SeveralGpus:
        options = replace(standin(**({"devices": 3} | settings)), harness_log=log)
        device = open_device(words, options)
        assert isinstance(device, SeveralGpus)
        opened.append(device)
        device.prepare(compiler)
        return device

    yield make
    for device in opened:
        device.close()


def carried_out(log: Path, operation: str) -> list[int]:
    """The GPU of every request of that kind, canaries included; in no order."""
    found = []
    for path in log.glob("*.job"):
        text = path.read_bytes()
        hello = _HELLO.search(text)
        assert hello is not None
        found += [int(hello[1])] * _REQUEST.findall(text).count(operation.encode())
    return sorted(found)


def refusal(words: str, options: DeviceOptions) -> str:
    with pytest.raises(UsageError) as refused:
        open_device(words, options)
    return str(refused.value)


def at_once(device: SeveralGpus, requests: list[Any]) -> list[Any]:
    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(device.run, requests))


def test_it_is_a_device_that_measures_on_the_gpu_named_first(several: OpenSeveral) -> None:
    device = several("gpu:1,0")
    assert isinstance(device, MeasuringDevice)
    assert isinstance(device, ConcurrentDevice)
    assert (device.name, device.concurrent_runs) == ("gpu:1,0", 2)
    first, second = device.gpus
    assert (first.name, second.name) == ("gpu:1", "gpu:0")
    identity = device.identity
    assert identity["uuid"] == first.identity["uuid"]
    assert identity["verified_on"] == f"{first.identity['uuid']}, {second.identity['uuid']}"
    assert device.description == f"{first.description}; more to verify on: gpu:0"
    assert (device.spec, device.target) == (first.spec, first.target)


def test_all_are_those_that_there_are(several: OpenSeveral, standin: Standin) -> None:
    assert several("gpu:all").name == "gpu:0,1,2"
    single = open_device("gpu:all", standin(devices=1))
    assert isinstance(single, GpuDevice)
    assert single.name == "gpu:0"
    single.close()
    with pytest.raises(DeviceUnavailable, match=r"--device gpu:all: the driver sees no GPU\. Check with nvidia-smi"):
        open_device("gpu:all", standin(devices=0))


def test_one_run_after_another_leaves_the_timing_gpu_alone(several: OpenSeveral, compiler: Compiler, log: Path) -> None:
    device = several("gpu:0,1,2")
    for _ in range(3):
        ran(device.run(scale_request(compiler)))
    assert isinstance(device.measure(measure_request(compiler)), Measured)
    assert carried_out(log, "run") == [1, 1, 1]
    assert carried_out(log, "time") == [0]
    assert device.identity["unmapped_pages"] != "unknown", "another GPU of the same kind has found out"


def test_runs_at_once_are_spread_over_all(several: OpenSeveral, compiler: Compiler, log: Path) -> None:
    device = several("gpu:0,1,2", kernels={"scale": {"real_ms": 400}})
    results = at_once(device, [scale_request(compiler)] * 3)
    assert [ran(each).arrays["y"][3] for each in results] == [6, 6, 6]
    assert carried_out(log, "run") == [0, 1, 2]
    ran(device.run(scale_request(compiler)))
    assert carried_out(log, "run") == [0, 1, 1, 2], "a later one leaves the timing GPU alone"


def test_nothing_is_run_on_a_gpu_that_measures(several: OpenSeveral, compiler: Compiler, log: Path) -> None:
    device = several("gpu:0,1", kernels={"scale": {"real_ms": 60}})
    outcomes: list[object] = []
    timing = threading.Thread(target=lambda: outcomes.append(device.measure(measure_request(compiler))))
    device.run(scale_request(compiler))  # everything is warm
    timing.start()
    while not carried_out(log, "time"):
        pass
    at_once(device, [scale_request(compiler)] * 3)
    assert timing.is_alive(), "the runs ended while it measured, so none waited for its GPU"
    timing.join()
    assert isinstance(outcomes[0], Measured)
    assert carried_out(log, "run") == [1] * 4


def test_renewing_gives_every_gpu_a_process_in_which_nothing_ran(several: OpenSeveral, compiler: Compiler) -> None:
    device = several("gpu:0,1", kernels={"scale": {"real_ms": 200}})
    used: set[int | None] = set()
    for _ in range(2):
        device.renew()
        at_once(device, [scale_request(compiler)] * 2)
        used |= {gpu.worker_pid for gpu in device.gpus}
        device.rest()
    assert len(used) == 4
    assert None not in used


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_gpu_that_goes_bad_is_dropped_and_the_run_goes_on(
    several: OpenSeveral, compiler: Compiler, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_PAUSE_S", 0.01)
    kernels = {"scale": {"real_ms": 1500, "device": 1}, "saxpy": {"partial": 0.5, "device": 1}}
    device = several("gpu:0,1,2", kernels=kernels)
    bad = device.gpus[1]
    bad.run(scale_request(compiler, count=10))
    timer = kill_when_running(bad, 0.7)
    with caplog.at_level(logging.WARNING):
        assert ran(device.run(scale_request(compiler))).arrays["y"][3] == 6
    timer.join()
    assert "gpu:1 is used no more: the GPU is not usable: a known-good kernel failed 2 times in a row" in caplog.text
    assert "The run goes on with gpu:0, gpu:2." in caplog.text
    assert [gpu.name for gpu in device.gpus] == ["gpu:0", "gpu:2"]
    assert bad.process_ids == frozenset()
    assert bad.identity["uuid"] not in device.identity["verified_on"]
    assert device.name == "gpu:0,1,2", "what opens it again"
    assert isinstance(device.measure(measure_request(compiler)), Measured)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_timing_gpu_that_goes_bad_stops_the_run(
    several: OpenSeveral, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_PAUSE_S", 0.01)
    device = several("gpu:0,1", kernels={"saxpy": {"partial": 0.5, "device": 0}})
    device.measure(measure_request(compiler))
    pid = device.gpus[0].worker_pid
    assert pid is not None
    killed = inside(pid)[-1]
    os.kill(killed, signal.SIGKILL)
    assert ended(killed)
    with pytest.raises(UnusableGpu, match="the GPU is not usable: a known-good kernel failed 2 times in a row"):
        device.measure(measure_request(compiler))
    assert run_canary(device, compiler) is None, "the other one is good"


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_one_request_costs_one_gpu_at_most(
    several: OpenSeveral, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_PAUSE_S", 0.01)
    device = several("gpu:0,1,2", kernels={"scale": {"real_ms": 400}, "saxpy": {"partial": 0.5}})
    at_once(device, [scale_request(compiler)] * 3)
    for gpu in device.gpus:
        victim = inside(gpu.worker_pid or 0)[-1]
        os.kill(victim, signal.SIGKILL)
        assert gone(victim)
    with pytest.raises(UnusableGpu):
        device.run(scale_request(compiler))
    assert [gpu.name for gpu in device.gpus] == ["gpu:0", "gpu:2"]


def test_closing_ends_every_process(several: OpenSeveral, compiler: Compiler) -> None:
    device = several("gpu:all")
    at_once(device, [scale_request(compiler)] * 3)
    pids = device.process_ids
    assert len(pids) >= 3
    device.close()
    assert all(gone(pid) for pid in pids)
    assert device.process_ids == frozenset()


WORDS = {
    "gpu:0,0": "--device gpu:0,0: GPU 0 is named twice. Name each GPU once: gpu:0,1.",
    "gpu:0,00": "--device gpu:0,00: GPU 0 is named twice. Name each GPU once: gpu:0,1.",
    "gpu:0,": "--device gpu:: nothing is no GPU. Name one by its index (gpu:0)",
    "gpu:0,first": "--device gpu:first: first is no GPU. Name one by its index (gpu:0)",
    "gpu:0,all": "--device gpu:all: all is no GPU.",
}


@pytest.mark.parametrize("words", WORDS)
def test_words_that_name_no_pool_are_refused(standin: Standin, words: str) -> None:
    assert refusal(words, standin(devices=2)).startswith(WORDS[words])


def test_a_gpu_named_by_index_and_uuid_is_named_twice(standin: Standin) -> None:
    options = standin(devices=2)
    device = open_device("gpu:1", options)
    assert isinstance(device, GpuDevice)
    uuid = device.identity["uuid"]
    device.close()
    assert f"--device gpu:1,{uuid}: GPU {uuid} is named twice." in refusal(f"gpu:1,{uuid}", options)


def test_a_gpu_that_is_not_there_is_refused_as_ever(standin: Standin) -> None:
    with pytest.raises(DeviceUnavailable, match=r"--device gpu:2: there is no such GPU; there are gpu:0 \(NVIDIA St"):
        open_device("gpu:0,2", standin(devices=2))


def test_gpus_that_are_not_equal_are_refused_with_a_choice(standin: Standin) -> None:
    options = standin(devices=3, names=["NVIDIA A", "NVIDIA B", "NVIDIA A"])
    text = refusal("gpu:all", options)
    assert text.startswith("--device gpu:all: these GPUs are not equal (gpu:0,2: NVIDIA A, sm_90, 132 SMs, 512 MiB ")
    assert "; gpu:1: NVIDIA B, sm_90, 132 SMs, 512 MiB" in text
    assert text.endswith("Choose --device gpu:0,2 or --device gpu:1.")
    device = open_device("gpu:0,2", options)
    assert device.name == "gpu:0,2"
    device.close()


@pytest.mark.parametrize("change", ["sm_count", "memory"])
def test_a_difference_within_one_name_counts(change: str) -> None:
    gpu = load_gpu("h200")
    other = replace(gpu, sm_count=66)
    if change == "memory":
        other = replace(gpu, memory=replace(gpu.memory, dram_bytes=gpu.memory.dram_bytes - 1))
    assert inequality([gpu, gpu], ["0", "1"]) is None
    told = inequality([gpu, other], ["0", "1"])
    assert told is not None
    assert ("66 SMs" if change == "sm_count" else f"{gpu.memory.dram_bytes - 1} bytes") in told, told


@pytest.mark.parametrize(
    ("settings", "status", "detail"),
    [
        ({"devices": 1}, Status.OK, "1 GPU"),
        ({"devices": 3}, Status.OK, "3 equal GPUs: --device gpu:all verifies on all and takes times on gpu:0"),
        ({"devices": 2, "names": ["A"]}, Status.OK, "2 GPUs: these GPUs are not equal (gpu:0: A, sm_90"),
    ],
    ids=["one", "equal", "not equal"],
)
def test_doctor_says_whether_gpus_can_be_used_together(
    standin: Standin, settings: dict[str, Any], status: Status, detail: str
) -> None:
    finding = next(f for f in gpu_findings(harness_options(standin(**settings))) if f.name == "gpus")
    assert (finding.status, finding.detail[: len(detail)]) == (status, detail)


def test_settings_of_one_gpu_hold_there_only(standin: Standin, compiler: Compiler) -> None:
    """What the tests above rest on."""
    options = standin(devices=2, kernels={"scale": {"partial": 0.5, "device": 1}})
    ends = []
    for words in ("gpu:0", "gpu:1"):
        device = open_device(words, options)
        device.prepare(compiler)
        ends.append(ran(device.run(scale_request(compiler))).arrays["y"][999])
        device.close()
    assert ends[0] == 2 * 999
    assert ends[1] != 2 * 999
    assert json.loads(Path(f"{options.driver}.json").read_text(encoding="utf-8"))["devices"] == 2
