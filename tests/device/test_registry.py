import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from warpwright.device.driver_probe import probe
from warpwright.device.findings import Finding, Status, canary_finding, machine_findings
from warpwright.device.registry import DeviceOptions, notice, open_device
from warpwright.emulator.launch.api import ExecutorKind
from warpwright.errors import DeviceUnavailable, UsageError, WarpwrightError
from warpwright.hardware import gpu_keys

INTERPRETED = DeviceOptions(executor=ExecutorKind.INTERP, driver=Path("no/driver/here"))


@pytest.mark.parametrize(
    ("text", "name"),
    [("auto", "emulator:h200"), ("emulator", "emulator:h200"), ("emulator:a100", "emulator:a100")],
)
def test_devices_open_by_their_words(text: str, name: str) -> None:
    device = open_device(text, INTERPRETED)
    assert device.name == name
    assert device.spec.key == name.partition(":")[2]
    assert device.description.startswith("PTX emulator (interpreted, slow; latencies are estimates of an NVIDIA ")
    device.close()


@pytest.mark.parametrize("key", gpu_keys())
def test_every_described_gpu_can_be_compiled_for(key: str) -> None:
    device = open_device(f"emulator:{key}", INTERPRETED)
    assert device.target.arch == device.spec.arch
    device.close()


KEYS = ", ".join(gpu_keys())


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "emulator:v100",
            UsageError,
            f"--device emulator:v100: GPU v100 is not described; known: {KEYS}.",
        ),
        (
            "cuda",
            UsageError,
            "--device cuda: unknown device. Use auto, emulator, emulator:GPU, gpu:N, gpu:N,M, gpu:all or command:COMMAND.",
        ),
        (
            "auto:1",
            UsageError,
            "--device auto:1: unknown device. Use auto, emulator, emulator:GPU, gpu:N, gpu:N,M, gpu:all or command:COMMAND.",
        ),
    ],
    ids=["unknown gpu", "unknown word", "detail too much"],
)
def test_other_words_are_refused_with_a_remedy(text: str, kind: type[WarpwrightError], message: str) -> None:
    with pytest.raises(kind) as refused:
        open_device(text)
    assert str(refused.value) == message


def test_auto_says_that_times_are_estimates() -> None:
    device = open_device("auto", INTERPRETED)
    told = notice("auto", device, INTERPRETED)
    assert told == (
        "no NVIDIA GPU found: using the emulator; latencies are estimates of an NVIDIA H200, none is measured."
    )
    assert notice("emulator", device, INTERPRETED) is None
    device.close()


def test_a_machine_without_a_driver_is_a_fact_and_not_an_error() -> None:
    assert list(probe("libnothere.so.1")) == ["absent -"]


@pytest.mark.skipif(sys.platform == "win32", reason="builds a shared library with cc")
def test_the_driver_is_asked_for_version_and_gpus(tmp_path: Path) -> None:
    import shutil
    import subprocess

    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    source = tmp_path / "driver.c"
    source.write_text(
        "#include <string.h>\n"
        "int cuDriverGetVersion(int* v) { *v = 13010; return 0; }\n"
        "int cuInit(unsigned f) { return 0; }\n"
        "int cuDeviceGetCount(int* n) { *n = 2; return 0; }\n"
        'int cuDeviceGetName(char* s, int n, int d) { strcpy(s, d ? "GPU B" : "GPU A"); return 0; }\n',
        encoding="utf-8",
    )
    library = tmp_path / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    assert list(probe(str(library))) == ["version 13.1", "gpu GPU A", "gpu GPU B"]


def test_findings_name_everything_that_doctor_reports() -> None:
    findings = machine_findings()
    names = [finding.name for finding in findings]
    assert names[:6] == ["python", "nvrtc", "cuda headers", "emulator jit", "processor", "compiler sandbox"]
    assert all(f.detail for f in findings)
    assert all(f.remedy for f in findings if f.status is Status.MISSING)


def test_a_missing_compiler_has_its_remedy(tmp_path: Path) -> None:
    nvrtc = next(f for f in machine_findings(nvrtc=str(tmp_path / "none.so")) if f.name == "nvrtc")
    assert nvrtc.status is Status.MISSING
    assert str(tmp_path / "none.so") in nvrtc.detail
    assert nvrtc.remedy == "pip install 'warpwright[cuda13]'"


def _no_compiler() -> str | None:
    raise DeviceUnavailable("no compiler here")


@pytest.mark.parametrize(
    ("canary", "expected"),
    [
        (lambda: None, Finding("canary kernel", Status.OK, "saxpy compiled, ran and equals NumPy")),
        (
            lambda: "3 of 1000 wrong",
            Finding(
                "canary kernel", Status.MISSING, "3 of 1000 wrong", "Report this: nothing measured here can be trusted."
            ),
        ),
        (_no_compiler, Finding("canary kernel", Status.MISSING, "no compiler here")),
    ],
    ids=["right", "wrong", "not possible"],
)
def test_the_canary_is_a_finding(canary: Callable[[], str | None], expected: Finding) -> None:
    assert canary_finding(canary) == expected
