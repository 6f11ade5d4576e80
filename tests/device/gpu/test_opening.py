"""GPUs by their words: indices, UUIDs, commands, auto; what is missing and its remedy; what a harness may see."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from device.gpu.test_client import fake
from harness.building import Built
from warpwright.compiler.compiler import Compiler
from warpwright.device.canary import run_canary
from warpwright.device.finding import Status
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.gpu.process import connection
from warpwright.device.gpu_findings import gpu_findings
from warpwright.device.registry import DeviceOptions, harness_options, notice, open_device
from warpwright.errors import DeviceUnavailable, UsageError
from warpwright.isolation.bubblewrap import Sandbox, sandbox, unavailable

Standin = Callable[..., DeviceOptions]


def refusal(text: str, options: DeviceOptions) -> str:
    with pytest.raises(DeviceUnavailable) as refused:
        open_device(text, options)
    return str(refused.value)


def test_auto_takes_the_first_gpu_without_a_word(standin: Standin) -> None:
    options = standin()
    device = open_device("auto", options)
    assert device.name == "gpu:0"
    assert notice("auto", device, options) is None
    device.close()


def test_auto_says_why_a_gpu_is_not_used(standin: Standin, tmp_path: Path) -> None:
    options = replace(standin(), harness=tmp_path / "none")
    device = open_device("auto", options)
    told = notice("auto", device, options)
    device.close()
    assert told is not None
    assert told.startswith("NVIDIA Stand-in GPU is present but cannot be used (the GPU harness, ")
    assert told.endswith("using the emulator; latencies are estimates of an NVIDIA H200, none is measured.")


def test_a_second_gpu_opens_by_index_and_by_uuid(standin: Standin) -> None:
    options = standin(devices=2)
    second = open_device("gpu:1", options)
    assert isinstance(second, GpuDevice)
    uuid = second.identity["uuid"]
    second.close()
    again = open_device(f"gpu:{uuid}", options)
    assert isinstance(again, GpuDevice)
    assert (again.identity["uuid"], again.name) == (uuid, f"gpu:{uuid}")
    again.close()


def test_a_gpu_that_is_not_there_is_refused_with_those_that_are(standin: Standin) -> None:
    options = standin(devices=2)
    assert refusal("gpu:2", options) == (
        "--device gpu:2: there is no such GPU; there are gpu:0 (NVIDIA Stand-in GPU), gpu:1 (NVIDIA Stand-in GPU)."
    )
    text = refusal("gpu:GPU-ffff", options)
    assert text.startswith("--device gpu:GPU-ffff is no GPU of this machine; there are GPU-")
    with pytest.raises(UsageError, match=r"first is no GPU\. Name one by its index"):
        open_device("gpu:first", options)


def test_a_machine_without_a_driver_or_gpu_says_so(standin: Standin, tmp_path: Path) -> None:
    options = standin(devices=0)
    assert refusal("gpu:0", options) == (
        "--device gpu:0: the driver sees no GPU. Check with nvidia-smi and CUDA_VISIBLE_DEVICES."
    )
    absent = replace(options, driver=tmp_path / "libcuda.so.1")
    assert refusal("gpu:0", absent).startswith("--device gpu:0: NVIDIA's driver is not installed here.")


def test_a_driver_that_is_too_old_says_what_is_needed(standin: Standin, built: Built) -> None:
    have = "the driver is too old: it serves CUDA 11.4, needed is 11.8 or newer. Update NVIDIA's driver (520 or newer)."
    assert have in refusal("gpu:0", standin(driver_version=11040))
    assert "gpu:0" in refusal("gpu:0", replace(standin(), driver=built.old_driver))


def test_a_missing_harness_is_refused_with_its_remedy(standin: Standin, tmp_path: Path) -> None:
    text = refusal("gpu:0", replace(standin(), harness=tmp_path / "none"))
    assert text.endswith(f"was not found. Tried:\n  {tmp_path / 'none'}\nCheck WARPWRIGHT_HARNESS.")


def test_the_same_harness_behind_a_command(standin: Standin, compiler: Compiler) -> None:
    options = standin()
    words = ["env", "A=1", str(options.harness), "--driver", str(options.driver)]
    device = open_device(f"command:{shlex.join(words)}")
    device.prepare(compiler)
    assert run_canary(device, compiler) is None
    device.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_harness_gets_no_secrets_and_no_injection(
    standin: Standin, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("OPENAI_API_KEY", "HTTPS_PROXY", "LD_PRELOAD", "CUDA_INJECTION64_PATH", "PYTHONPATH"):
        monkeypatch.setenv(name, "" if name == "LD_PRELOAD" else "secret")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    device = open_device("gpu:0", replace(standin(), sandboxed=False))
    assert isinstance(device, GpuDevice)
    (pid,) = device.process_ids
    variables = dict(entry.split("=", 1) for entry in Path(f"/proc/{pid}/environ").read_text().split("\0") if entry)
    limits = Path(f"/proc/{pid}/limits").read_text()
    status = Path(f"/proc/{pid}/status").read_text()
    device.close()
    assert not {"OPENAI_API_KEY", "HTTPS_PROXY", "LD_PRELOAD", "CUDA_INJECTION64_PATH", "PYTHONPATH", "HOME"} & set(
        variables
    )
    assert variables["CUDA_VISIBLE_DEVICES"] == "0"
    assert (variables["CUDA_CACHE_DISABLE"], variables["CUDA_MODULE_LOADING"]) == ("1", "EAGER")
    assert not Path(variables["TMPDIR"]).exists()  # its own, removed with the device
    assert [line.split()[4] for line in limits.splitlines() if line.startswith("Max core")] == ["0"]
    assert "NoNewPrivs:\t1" in status


@pytest.mark.skipif(unavailable() is not None, reason="no bubblewrap here")
def test_inside_the_sandbox_there_is_no_home_no_network_and_nothing_to_write(standin: Standin) -> None:
    secret = Path.home() / f".warpwright-test-{os.getpid()}"
    secret.write_text("secret", encoding="utf-8")
    script = (
        'test -e "$1" && echo home; ls /tmp; tail -n +3 /proc/net/dev | cut -d: -f1; '
        "touch /etc/x 2>/dev/null && echo written"
    )
    try:
        told = subprocess.run(
            [*sandbox([]).prefix(), "/bin/sh", "-c", script, "sh", str(secret)],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        secret.unlink()
    assert told.stdout.split() == ["lo"]
    device = open_device("gpu:0", standin())
    assert isinstance(device, GpuDevice)
    assert device.identity["sandbox"] == "bubblewrap"
    device.close()


def test_a_sandbox_that_is_off_is_never_silent(standin: Standin) -> None:
    options = replace(standin(), sandboxed=False)
    device = open_device("gpu:0", options)
    assert isinstance(device, GpuDevice)
    assert device.identity["sandbox"] == "none: turned off by WARPWRIGHT_SANDBOX"
    device.close()
    finding = next(f for f in gpu_findings(harness_options(options)) if f.name == "gpu sandbox")
    assert finding.status is Status.WARNING
    assert finding.remedy is not None


def test_a_driver_that_works_outside_the_sandbox_only_is_used_and_said(
    standin: Standin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "sandbox", lambda readable: Sandbox(("false",), None))
    device = open_device("gpu:0", standin())
    assert isinstance(device, GpuDevice)
    assert device.identity["sandbox"].startswith("none: the driver does not work inside bubblewrap: --device gpu:0: ")
    device.close()


def test_doctor_sees_driver_harness_and_gpus(standin: Standin) -> None:
    findings = {f.name: f for f in gpu_findings(harness_options(standin(devices=2)))}
    assert set(findings) >= {"nvidia driver", "gpu harness", "gpu sandbox", "gpu 0", "gpu 1", "nvml of gpu 0"}
    assert findings["nvidia driver"].detail == "serves CUDA 13.0"
    assert findings["gpu harness"].detail.startswith("warpwright-harness ")
    assert "NVIDIA Stand-in GPU, compute capability 9.0" in findings["gpu 0"].detail


def test_doctor_names_a_missing_harness_as_missing_where_there_is_a_gpu(standin: Standin, tmp_path: Path) -> None:
    options = harness_options(replace(standin(), harness=tmp_path / "none"))
    findings = {f.name: f for f in gpu_findings(options)}
    assert findings["gpu harness"].status is Status.MISSING
    assert findings["gpu harness"].detail.endswith(f"was not found. Tried:\n  {tmp_path / 'none'}")
    assert findings["gpu harness"].remedy == "Check WARPWRIGHT_HARNESS."
    assert findings["gpu 0"].status is Status.WARNING


def test_a_command_says_what_it_is_in_its_identity() -> None:
    device = open_device(fake("right"))
    assert isinstance(device, GpuDevice)
    assert device.identity["sandbox"] == "none: the command decides"
    device.close()
