"""What this machine offers for running on a GPU: driver, harness, each GPU, NVML, sandbox."""

import subprocess
from collections.abc import Sequence

from warpwright.device.driver import Driver, find_driver
from warpwright.device.finding import Finding, Status
from warpwright.device.gpu.choice import inequality
from warpwright.device.gpu.opening import OLDEST_CUDA
from warpwright.device.gpu.process.connection import HarnessOptions, local_connection, temporary_folder
from warpwright.device.gpu.process.locate import find_harness
from warpwright.device.gpu.properties import GpuProperties, properties
from warpwright.errors import DeviceUnavailable
from warpwright.hardware import GpuSpec
from warpwright.hardware.reported import reported_gpu
from warpwright.isolation.bubblewrap import unavailable
from warpwright.units import format_bytes

_TIME_LIMIT_S = 20.0
_BUILD_REMEDY = "warpwright build-harness"


def gpu_findings(options: HarnessOptions) -> tuple[Finding, ...]:
    """Everything, in the order in which it is needed. Without a driver the rest is looked at no further than it can be."""
    driver = find_driver(options.driver)
    harness = _harness(options, needed=bool(driver.gpus))
    found = [*_driver(driver), harness, _sandbox(options)]
    if driver.gpus:
        found += _gpus(driver, options) if harness.status is Status.OK else _unreached(driver, harness.remedy)
    return tuple(found)


def _driver(driver: Driver) -> list[Finding]:
    if not driver.present:
        absent = "not installed: candidates run in the emulator, and times are estimates"
        remedy = "Install NVIDIA's driver on a machine with a GPU to measure."
        return [Finding("nvidia driver", Status.WARNING, absent, remedy)]
    if driver.problem is not None:
        remedy = "Check the driver with nvidia-smi; after an update, restart."
        return [Finding("nvidia driver", Status.WARNING, driver.problem, remedy)]
    serves = f"serves CUDA {driver.version or 'of an unknown version'}"
    if driver.cuda is not None and driver.cuda < OLDEST_CUDA:
        need = f"{OLDEST_CUDA[0]}.{OLDEST_CUDA[1]}"
        return [
            Finding("nvidia driver", Status.MISSING, f"{serves}; needed is {need}", "Update the driver: 520 or newer.")
        ]
    found = [Finding("nvidia driver", Status.OK, serves)]
    if not driver.gpus:
        found.append(
            Finding("gpu", Status.WARNING, "the driver sees no GPU", "Check nvidia-smi and CUDA_VISIBLE_DEVICES.")
        )
    return found


def _harness(options: HarnessOptions, *, needed: bool) -> Finding:
    missing = Status.MISSING if needed else Status.WARNING
    try:
        program = find_harness(options.harness)
    except DeviceUnavailable as error:
        told, _, remedy = str(error).rpartition("\n")
        return Finding("gpu harness", missing, told, remedy)
    try:
        ended = subprocess.run(
            [str(program), "--version"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIME_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("gpu harness", missing, f"{program} does not run: {error}", _BUILD_REMEDY)
    if ended.returncode != 0:
        return Finding("gpu harness", missing, f"{program} does not run: {ended.stderr.strip()}", _BUILD_REMEDY)
    return Finding("gpu harness", Status.OK, f"{ended.stdout.strip()} at {program}")


def _sandbox(options: HarnessOptions) -> Finding:
    reason = unavailable() if options.sandboxed else "turned off by WARPWRIGHT_SANDBOX"
    if reason is None:
        detail = "bubblewrap: read-only root, no home, private /tmp, no network, GPU devices only"
        return Finding("gpu sandbox", Status.OK, detail)
    detail = f"{reason}: the harness is held by its environment, its limits and its process group alone"
    return Finding("gpu sandbox", Status.WARNING, detail, "Install bubblewrap (Linux), or run kernels that you trust.")


def _gpus(driver: Driver, options: HarnessOptions) -> list[Finding]:
    try:
        with temporary_folder() as folder:
            listed = properties(local_connection("gpu", 0, folder.path, options)).devices
    except DeviceUnavailable as error:
        remedy = "Try WARPWRIGHT_SANDBOX=off; see what nvidia-smi says."
        return [*_unreached(driver, remedy), Finding("gpu harness", Status.MISSING, str(error), remedy)]
    found = [Finding(f"gpu {index}", Status.OK, _gpu(gpu)) for index, gpu in enumerate(listed)]
    return [
        Finding("gpus", Status.OK, _together(listed)),
        *found,
        *(_nvml(index, gpu) for index, gpu in enumerate(listed)),
    ]


def _together(listed: Sequence[GpuProperties]) -> str:
    """How many there are, and which can be one device."""
    if len(listed) == 1:
        return "1 GPU"
    told = inequality([_spec(gpu) for gpu in listed], [str(index) for index in range(len(listed))])
    if told is None:
        return f"{len(listed)} equal GPUs: --device gpu:all verifies on all and takes times on gpu:0"
    return f"{len(listed)} GPUs: {told}"


def _spec(gpu: GpuProperties) -> GpuSpec:
    major, minor = gpu.compute_capability
    return reported_gpu(gpu.name, (major, minor), gpu.total_memory_bytes, gpu.attributes)


def _gpu(gpu: GpuProperties) -> str:
    major, minor = gpu.compute_capability
    size = format_bytes(gpu.total_memory_bytes)
    missing = [f"no {name.replace('_', ' ')} ({why})" for name, why in gpu.capabilities.items() if isinstance(why, str)]
    notes = "".join(f"; {text}" for text in missing if not text.startswith("no nvml"))
    return f"{gpu.name}, compute capability {major}.{minor}, {size}, {gpu.uuid}{notes}"


def _nvml(index: int, gpu: GpuProperties) -> Finding:
    reason = gpu.capabilities.get("nvml", "the harness does not say")
    if reason is True:
        return Finding(f"nvml of gpu {index}", Status.OK, "throttle reasons, temperature and power are read")
    detail = f"{reason}: throttling, temperature and power stay unknown"
    return Finding(f"nvml of gpu {index}", Status.WARNING, detail, "NVML comes with the driver: libnvidia-ml.so.1.")


def _unreached(driver: Driver, remedy: str | None) -> list[Finding]:
    detail = "present, but not reached without a working harness"
    return [Finding(f"gpu {i}", Status.WARNING, f"{name}: {detail}", remedy) for i, name in enumerate(driver.gpus)]
