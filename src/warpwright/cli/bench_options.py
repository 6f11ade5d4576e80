"""What the environment contributes to a bench."""

from pathlib import Path

from warpwright.cli.environment import environment
from warpwright.device.registry import DeviceOptions
from warpwright.evaluation.bench import BenchOptions
from warpwright.evaluation.profiling import ProfileOptions
from warpwright.profiler.sanitizer.options import SanitizerOptions


def bench_options() -> BenchOptions:
    """Cache folder, NVRTC and GPU harness of this user."""
    found = environment()
    return BenchOptions(
        cache_directory=found.cache,
        nvrtc=found.nvrtc,
        device=device_options(),
        sanitizer=SanitizerOptions(program=found.compute_sanitizer),
        profiling=profile_options(),
    )


def device_options() -> DeviceOptions:
    """How this user's devices are opened."""
    found = environment()
    return DeviceOptions(
        cache_directory=found.cache / "machine-code",
        driver=found.driver,
        harness=found.harness,
        sandboxed=found.sandboxed,
        harness_log=found.harness_log,
    )


def profile_options(keep: Path | None = None) -> ProfileOptions:
    """How Nsight Compute is run. keep: folder for its reports, None = nowhere."""
    return ProfileOptions(ncu=environment().ncu, keep=keep)
