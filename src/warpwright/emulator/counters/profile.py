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
    dram_read_bytes, dram_write_bytes: what DRAM moves from a cold L2, granule and capacity considered.
    unique_bytes: distinct bytes at DRAM granularity; what L2 would have to hold for a warm run.
    hottest_atomic: read-modify-writes that must follow one another on the busiest 128-byte line. None = unknown.
    """

    l1_miss_ratio: float | None
    unique_sectors: float | None
    l2_sectors: float | None
    dram_read_bytes: float | None
    dram_write_bytes: float | None
    unique_bytes: float | None = None
    hottest_atomic: float | None = None


UNKNOWN_FOOTPRINT = Footprint(None, None, None, None, None)
"""Of a launch whose addresses were not traced."""


@dataclass(frozen=True, slots=True)
class LaunchProfile:
    """Everything known of one launch. Warp-level counts are over the whole grid, scaled from `blocks_run` if sampled.

    instructions, lanes: PTX warp instructions and active lanes. by_pipe: PTX warp instructions by pipe (`Pipe` values).
    slots: issue slots by pipe that the machine code needs (estimate: `expansion.py`); empty = unknown.
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
    slots: Mapping[str, float] = field(default_factory=dict)
    chain_cycles: float = 0.0
    """Cycles that one warp's dependent arithmetic takes without any wait for memory, mean (estimate)."""
    global_waits: float = 0.0
    """Times that one warp waits for global memory, loads issued together counted once, mean (estimate)."""
    l2_waits: float | None = None
    """Those of `global_waits` whose farthest load is served by L2 or DRAM; None unknown."""
    dram_waits: float | None = None
    """Those of `global_waits` whose farthest load is served by DRAM; None unknown."""
    shared_waits: float = 0.0
    """The same for shared memory."""
    merged_wavefronts: float = 0.0
    """Shared wavefronts of `traffic` that vanish because ptxas merges loads (estimate)."""
    shared_atomic_cycles: float = 0.0
    """LSU cycles of shared-memory atomics, all SMs together (estimate)."""
    local_bytes: int = 0
    """Local memory per thread in the PTX (arrays indexed at run time)."""

    @property
    def grid_blocks(self) -> int:
        """Blocks in the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def block_threads(self) -> int:
        """Threads per block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def block_warps(self) -> int:
        """Warps per block."""
        return -(-self.block_threads // 32)

    @property
    def shared_bytes(self) -> int:
        """Static and dynamic shared memory of a block."""
        return self.shared_static_bytes + self.shared_dynamic_bytes
