"""Devices by the words of `--device`."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from warpwright.device.driver import find_driver
from warpwright.device.protocol import Device
from warpwright.emulator.launch.api import ExecutorKind
from warpwright.errors import DeviceUnavailable, ToolchainUnavailable, UsageError
from warpwright.hardware import gpu_keys, load_gpu
from warpwright.workload.model import DeviceKind

if TYPE_CHECKING:
    from warpwright.device.gpu.process.connection import HarnessOptions

DEFAULT_GPU = "h200"
"""Whose latencies the emulator estimates unless told otherwise."""

_WORDS = "Use auto, emulator, emulator:GPU, gpu:N, gpu:N,M, gpu:all or command:COMMAND."


@dataclass(frozen=True, slots=True)
class DeviceOptions:
    """cache_directory: where the emulator keeps machine code; None: nowhere. executor: None = JIT, the fast one.

    driver: library to load instead of the system's driver. harness: the program, None = looked for. sandboxed: bubblewrap
    around it where it works. harness_log: folder in which every request to it is kept; None: nowhere.
    emulator_workers: requests that the emulator takes at a time.
    """

    cache_directory: Path | None = None
    executor: ExecutorKind | None = None
    driver: Path | None = None
    harness: Path | None = None
    sandboxed: bool = True
    harness_log: Path | None = None
    emulator_workers: int = 1


_DEFAULT_OPTIONS = DeviceOptions()


def open_device(text: str, options: DeviceOptions = _DEFAULT_OPTIONS) -> Device:
    """The device of `auto`, `emulator`, `emulator:GPU`, `gpu:N`, `gpu:N,M`, `gpu:all` or `command:COMMAND`.

    `auto` is the first GPU if it can be used, else the emulator (`notice` says why). N, M: an index or a UUID.
    Raises: UsageError for other words, an unknown GPU, GPUs that are not equal or text that is no command; DeviceUnavailable
    for a device that is not here; ToolchainUnavailable if the JIT is missing and no executor was named.
    """
    word, _, detail = text.partition(":")
    if word == "auto" and not detail:
        return _first_gpu(options) or _emulated(DEFAULT_GPU, options)
    if word == "emulator":
        return _emulated(detail or DEFAULT_GPU, options)
    if word == "gpu":
        return _gpu(detail or "0", options)
    if word == "command":
        return _behind_command(detail, options)
    raise UsageError(f"--device {text}: unknown device. {_WORDS}")


def notice(text: str, device: Device, options: DeviceOptions) -> str | None:
    """What a person must know about the choice: `auto` fell to the emulator, and why. options: those it was opened with."""
    if text != "auto" or device.kind is not DeviceKind.EMULATOR:
        return None
    times = f"latencies are estimates of an {device.spec.name}, none is measured"
    why = _why_no_gpu(options) or "the GPU could not be used a moment ago"
    return f"{why}: using the emulator; {times}."


def _first_gpu(options: DeviceOptions) -> Device | None:
    if not find_driver(options.driver).gpus:
        return None
    try:
        return _gpu("0", options)
    except DeviceUnavailable:
        return None  # `notice` says why


@cache
def _why_no_gpu(options: DeviceOptions) -> str | None:
    """Why `auto` does not choose the first GPU; None if it can be used."""
    driver = find_driver(options.driver)
    if not driver.gpus:
        return driver.problem or "no NVIDIA GPU found"
    try:
        _gpu("0", options).close()
    except DeviceUnavailable as error:
        return f"{driver.gpus[0]} is present but cannot be used ({error})"
    return None


def harness_options(options: DeviceOptions) -> "HarnessOptions":
    """What of the options concerns the GPU harness."""
    from warpwright.device.gpu.process.connection import HarnessOptions

    return HarnessOptions(options.harness, options.driver, options.sandboxed, options.harness_log)


def _gpu(which: str, options: DeviceOptions) -> Device:
    from warpwright.device.gpu.choice import open_gpus

    return open_gpus(which, harness_options(options))


def _behind_command(text: str, options: DeviceOptions) -> Device:
    from warpwright.device.gpu.opening import open_command

    return open_command(text, harness_options(options))


def _emulated(key: str, options: DeviceOptions) -> Device:
    from warpwright.device.emulated.device import EmulatedDevice, EmulatorOptions

    if key not in gpu_keys():
        raise UsageError(f"--device emulator:{key}: GPU {key} is not described; known: {', '.join(gpu_keys())}.")
    executor = options.executor or ExecutorKind.JIT
    if executor is ExecutorKind.JIT:
        _require_jit()
    return EmulatedDevice(
        load_gpu(key), EmulatorOptions(executor, options.cache_directory, workers=options.emulator_workers)
    )


def _require_jit() -> None:
    from warpwright.emulator import jit

    reason = jit.available()
    if reason is not None:
        raise ToolchainUnavailable(
            f"the emulator's JIT cannot be used: {reason}. Install it with: pip install 'warpwright[emulator]'"
        )
