"""Everything that is known of the GPU."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import NoArguments, Tool


def device_properties(aids: Aids) -> Tool:
    """Limits of a launch, rates, sizes and latencies of memories."""
    return Tool(
        "device_properties",
        "All limits, rates and memory sizes of the GPU that the kernel runs on.",
        NoArguments,
        lambda _: "\n".join(_lines(aids.state.gpu)),
    )


def _lines(gpu: GpuSpec) -> Iterator[str]:
    yield f"{gpu.name}, {gpu.arch}; {'calibrated by measurement' if gpu.calibrated else 'from its data sheet'}"
    for name in ("sm_count", "warp_size", "launch_overhead_us"):
        yield f"{name} = {_value(getattr(gpu, name))}"
    for part in (gpu.limits, gpu.throughput, gpu.memory):
        for field in fields(part):
            yield f"{field.name} = {_value(getattr(part, field.name))}"


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return " x ".join(map(str, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
