"""The least time that physics allows a case on a GPU (`measurement.md` section 10). Arithmetic, not a measurement."""

from dataclasses import dataclass
from enum import StrEnum

from warpwright.candidate.expressions import evaluate
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.units import US_PER_S
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import Case, Role, Workload
from warpwright.workload.shapes import case_bytes, size_bytes

_FLOPS_PER_FMA = 2


class Binding(StrEnum):
    """What sets the floor."""

    LAUNCH = "launch"
    BYTES = "bytes"
    FLOPS = "flops"


@dataclass(frozen=True, slots=True)
class Floor:
    """us: least time. binding: what sets it. bytes_us, flops_us, launch_us: its parts; None where the work is unknown."""

    us: float
    binding: Binding
    launch_us: float
    bytes_us: float
    flops_us: float | None


def case_floor(workload: Workload, case: Case, gpu: GpuSpec) -> Floor:
    """The largest of launch overhead, bytes over bandwidth and operations over peak.

    Bytes from `[work]`, else every input read once and every output written once; operations from `[work]` only.
    With a warm cache a case that fits into L2 is held to the L2 bandwidth.
    """
    throughput = gpu.throughput
    moved = unique_bytes(workload, case)
    resident = fits_warm_l2(workload, case, gpu)
    bandwidth = throughput.l2_bytes_per_s if resident else throughput.dram_bytes_per_s
    parts = {Binding.LAUNCH: gpu.launch_overhead_us, Binding.BYTES: moved / bandwidth * US_PER_S}
    flops_us = None
    if workload.work.flops is not None:
        flops_us = evaluate(workload.work.flops, case.dims) / _peak_flops(workload, gpu) * US_PER_S
        parts[Binding.FLOPS] = flops_us
    binding = max(parts, key=lambda part: parts[part])
    return Floor(parts[binding], binding, parts[Binding.LAUNCH], parts[Binding.BYTES], flops_us)


def fits_warm_l2(workload: Workload, case: Case, gpu: GpuSpec) -> bool:
    """Whether the cache is warm and may hold all arrays, so that none of their bytes need come from DRAM."""
    return not workload.cold_cache and case_bytes(workload, case) <= gpu.memory.l2_bytes


def unique_bytes(workload: Workload, case: Case) -> int:
    """Bytes that SMs must read and write: `[work] bytes`, else each array once (`inout` twice)."""
    if workload.work.bytes is not None:
        return evaluate(workload.work.bytes, case.dims)
    passes = {Role.IN: 1, Role.OUT: 1, Role.INOUT: 2}
    return sum(passes[array.role] * size_bytes(array, case.dims) for array in workload.arrays)


def _peak_flops(workload: Workload, gpu: GpuSpec) -> float:
    """Operations a second of the fastest unit that a correct kernel may use for these dtypes."""
    throughput = gpu.throughput
    floats = [array.dtype for array in workload.arrays if element_type(array.dtype).is_float]
    per_sm = throughput.fp32_per_sm * _FLOPS_PER_FMA
    narrow = any(dtype in ("float16", "bfloat16") for dtype in floats)
    if floats and all(dtype == "float64" for dtype in floats):
        per_sm = throughput.fp64_per_sm * _FLOPS_PER_FMA
    elif narrow or workload.policy.lower_precision:
        per_sm = max(throughput.tensor_fp16_flops_per_sm, throughput.fp16_per_sm * _FLOPS_PER_FMA, per_sm)
    return per_sm * gpu.sm_count * throughput.clock_hz
