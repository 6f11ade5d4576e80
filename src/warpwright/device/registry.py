"""Devices by the words of `--device`."""

from dataclasses import dataclass
from pathlib import Path

from warpwright.device.protocol import Device
from warpwright.emulator.launch.api import ExecutorKind
from warpwright.errors import DeviceUnavailable, ToolchainUnavailable, UsageError
from warpwright.hardware import gpu_keys, load_gpu

DEFAULT_GPU = "h200"
"""Whose latencies the emulator estimates unless told otherwise."""


@dataclass(frozen=True, slots=True)
class DeviceOptions:
    """cache_directory: where the emulator keeps machine code; None: nowhere. executor: None = JIT, the fast one."""

    cache_directory: Path | None = None
    executor: ExecutorKind | None = None


_DEFAULT_OPTIONS = DeviceOptions()


def open_device(text: str, options: DeviceOptions = _DEFAULT_OPTIONS) -> Device:
    """The device of `auto`, `emulator`, `emulator:GPU`, `gpu:N` or `command:COMMAND`.

    Raises: UsageError for other words or an unknown GPU; DeviceUnavailable for a device that is not here;
    ToolchainUnavailable if the JIT is missing and no executor was named.
    """
    word, _, detail = text.partition(":")
    if word == "auto" and not detail:
        return _emulated(DEFAULT_GPU, options)
    if word == "emulator":
        return _emulated(detail or DEFAULT_GPU, options)
    if word == "gpu":
        raise DeviceUnavailable(
            f"--device {text}: this version has no GPU harness yet. Use --device emulator, or "
            f"emulator:GPU with one of {', '.join(gpu_keys())}."
        )
    if word == "command":
        raise DeviceUnavailable(
            f"--device {text}: this version cannot reach a GPU by a command yet, as it has no GPU harness. "
            "Use --device emulator."
        )
    raise UsageError(f"--device {text}: unknown device. Use auto, emulator, emulator:GPU, gpu:N or command:COMMAND.")


def notice(text: str, device: Device) -> str | None:
    """What a person must know about the choice: `auto` fell to the emulator, and whether a GPU was passed over."""
    if text != "auto":
        return None
    from warpwright.device.driver import find_driver

    driver = find_driver()
    times = f"latencies are estimates of an {device.spec.name}, none is measured"
    if driver.gpus:
        return f"{driver.gpus[0]} is present, but this version cannot run on GPUs yet: using the emulator; {times}."
    return f"no NVIDIA GPU found: using the emulator; {times}."


def _emulated(key: str, options: DeviceOptions) -> Device:
    from warpwright.device.emulated.device import EmulatedDevice, EmulatorOptions

    if key not in gpu_keys():
        raise UsageError(f"--device emulator:{key}: GPU {key} is not described; known: {', '.join(gpu_keys())}.")
    executor = options.executor or ExecutorKind.JIT
    if executor is ExecutorKind.JIT:
        _require_jit()
    return EmulatedDevice(load_gpu(key), EmulatorOptions(executor, options.cache_directory))


def _require_jit() -> None:
    from warpwright.emulator import jit

    reason = jit.available()
    if reason is not None:
        raise ToolchainUnavailable(
            f"the emulator's JIT cannot be used: {reason}. Install it with: pip install 'warpwright[emulator]'"
        )
