"""A launch as the cost model and the diagnosis see it: counts in the field's words, scaled to the whole grid."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class MemoryTraffic:
    """One memory instruction over the whole launch. space: `global`, `shared`, `local`; access: load, store, atomic."""

    space: str
    access: str
    line: int | None
    """CUDA source line."""
    requests: float
    lanes: float
    bytes_per_lane: int
    sectors: float
    lines: float
    wavefronts: float
    conflicts: float
    serial: float


@dataclass(frozen=True, slots=True)
class Footprint:
    """What the sampled blocks touched in global memory, from their address traces.

    l1_miss_ratio: sectors that L1 does not hold when asked, over sectors asked for (loads).
    unique_sectors: distinct sectors, scaled to the grid. l2_sectors: sectors that reach L2 (loads after L1, all stores).
    dram_bytes: bytes that DRAM moves, granule and L2 capacity considered. None = unknown.
    """

    l1_miss_ratio: float | None
    unique_sectors: float | None
    l2_sectors: float | None
    dram_read_bytes: float | None
    dram_write_bytes: float | None


@dataclass(frozen=True, slots=True)
class LaunchProfile:
    """Everything known of one launch. Warp-level counts are over the whole grid, scaled from `blocks_run` if sampled.

    instructions, lanes: PTX warp instructions and active lanes. by_pipe: warp instructions by pipe (`Pipe` values).
    dependent_loads: longest chain of global loads that wait for each other, per warp (estimate).
    registers: per thread, from the cubin; None unknown.
    """

    grid: Dim3
    block: Dim3
    shared_static_bytes: int
    shared_dynamic_bytes: int
    registers: int | None
    blocks_run: int
    instructions: float
    lanes: float
    by_pipe: Mapping[str, float]
    flops_fp16: float
    flops_fp32: float
    flops_fp64: float
    barriers: float
    shuffles: float
    traffic: tuple[MemoryTraffic, ...]
    footprint: Footprint
    loads_in_flight: float
    """Global loads that a warp has in flight together, mean over its executed basic blocks (1 = fully dependent)."""
    spread: float
    """Largest over mean of instructions per sampled block: 1 = balanced."""
    notes: tuple[str, ...] = field(default=())
