"""Below which times a measurement must be explained, and below which it cannot be one (measurement.md section 10)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from warpwright.device.measurement import EmptyLaunch
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.units import US_PER_S, format_bytes, format_us
from warpwright.workload.floor import case_floor, unique_bytes
from warpwright.workload.model import Case, Role, Workload
from warpwright.workload.shapes import size_bytes

L2_MARGIN = 1.2
"""Faster than the L2 bandwidth of the description by this much is no more a matter of its accuracy."""


class Zone(StrEnum):
    """Where a time lies against the floors."""

    HARD = "hard"
    SOFT = "soft"


@dataclass(frozen=True, slots=True)
class Floors:
    """Of one case on one GPU, in us; None is unknown, and an unknown floor accuses nobody.

    soft_us: bytes that must come from DRAM, or operations, at the peak rates of the GPU; writes that may still lie in L2 when
    the clock stops do not count. output_us: every output element written once to L2, which every correct kernel must do;
    inputs are left out, since an answer may provably not need them.
    """

    soft_us: float | None
    output_us: float | None
    soft_reason: str = ""
    output_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Below:
    """A time below a floor, with the evidence in one sentence."""

    zone: Zone
    text: str


def measured_floors(workload: Workload, case: Case, gpu: GpuSpec) -> Floors:
    """The floors of a case. The one of L2 needs a GPU whose rates were measured."""
    written = sum(size_bytes(a, case.dims) for a in workload.outputs)
    in_l2 = min(written, gpu.memory.l2_bytes) if workload.cold_cache else gpu.memory.l2_bytes
    moved = max(unique_bytes(workload, case) - in_l2, 0)
    bytes_us = moved / gpu.throughput.dram_bytes_per_s * US_PER_S
    flops_us = case_floor(workload, case, gpu).flops_us or 0.0
    pure = sum(size_bytes(a, case.dims) for a in workload.outputs if a.role is Role.OUT and not a.zeroed)
    output_us = pure / (L2_MARGIN * gpu.throughput.l2_bytes_per_s) * US_PER_S if gpu.calibrated else None
    soft_us = max(bytes_us, flops_us)
    reason = (
        f"moving {format_bytes(moved)} at the {gpu.throughput.dram_bytes_per_s / 1e9:.0f} GB/s of the memory takes"
        if bytes_us >= flops_us
        else "the operations of [work] at the peak rate take"
    )
    return Floors(soft_us or None, output_us or None, reason, pure)


def hard_floor_us(floors: Floors, empty: EmptyLaunch | None) -> float | None:
    """Least time that any correct kernel can have; None if nothing is known.

    Of the empty launch its 5th percentile: the median less its own spread.
    """
    known = [us for us in (floors.output_us, empty.p5_us if empty else None) if us is not None]
    return max(known, default=None)


def below_floor(
    samples_us: Sequence[float], median_us: float | None, floors: Floors, empty: EmptyLaunch | None
) -> Below | None:
    """Which floor the samples break, if one. median_us: None if a sample is no time at all."""
    wrong = next((us for us in samples_us if not (math.isfinite(us) and us > 0)), None)
    if wrong is not None or median_us is None:
        return Below(Zone.HARD, f"the events of a launch are {wrong} us apart, which is no time")
    if empty is not None and median_us < empty.p5_us:
        text = f"{format_us(median_us)} is less than an empty launch with the same attributes takes"
        return Below(Zone.HARD, f"{text} ({format_us(empty.p5_us)} to {format_us(empty.median_us)})")
    if floors.output_us is not None and median_us < floors.output_us:
        text = f"{format_us(median_us)} is less than writing {format_bytes(floors.output_bytes)} of outputs to L2 takes"
        return Below(Zone.HARD, f"{text} ({format_us(floors.output_us)})")
    if floors.soft_us is not None and median_us < floors.soft_us:
        text = f"{format_us(median_us)}, but {floors.soft_reason} {format_us(floors.soft_us)}"
        return Below(Zone.SOFT, text)
    return None
