"""The term for waiting: too few warps, or too few loads in flight, to keep any unit busy.

By Little's law the bytes in flight are those of the resident warps, and each warp has its own chain of waits; the launch
cannot end before its rounds of blocks have gone through theirs.
"""

from warpwright.emulator.cost.residency import Residency
from warpwright.emulator.cost.throughput import SECTOR_BYTES, dram_bytes
from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.hardware import GpuSpec

BLOCK_CYCLES = 300.0
"""Start and end of a block: its slot is filled again, parameters are fetched. Source: order of an empty block's lifetime."""

BARRIER_CYCLES = 30.0
"""A barrier that everyone has reached. Source: micro-benchmarks, 20 to 40."""


def latency_cycles(profile: LaunchProfile, gpu: GpuSpec, place: Residency, *, cold_cache: bool) -> float:
    """Cycles from the first block's start to the last one's end if only dependences cost time."""
    warps = profile.grid_blocks * profile.block_warps
    per_warp = (
        BLOCK_CYCLES
        + profile.chain_cycles
        + profile.global_waits * load_latency_cycles(profile, gpu, cold_cache=cold_cache)
        + profile.shared_waits * gpu.memory.shared_latency_cycles
        + profile.barriers / warps * BARRIER_CYCLES
    )
    return (place.rounds + profile.spread - 1) * per_warp


def load_latency_cycles(profile: LaunchProfile, gpu: GpuSpec, *, cold_cache: bool) -> float:
    """Mean latency of a global load by where it is served; without a footprint all go to L2."""
    memory, prints = gpu.memory, profile.footprint
    if prints.l1_miss_ratio is None:
        return memory.l2_latency_cycles
    asked = sum(t.sectors for t in profile.traffic if t.space == "global" and t.access == "load")
    missed = asked * prints.l1_miss_ratio
    read_ratio = 1.0
    if prints.dram_read_bytes is not None and prints.dram_write_bytes is not None:
        moved = prints.dram_read_bytes + prints.dram_write_bytes
        read_ratio = prints.dram_read_bytes / moved if moved else 0.0
    fetched = dram_bytes(profile, gpu, cold_cache=cold_cache) * read_ratio / SECTOR_BYTES
    dram_ratio = min(1.0, fetched / missed) if missed else 0.0
    beyond = memory.l2_latency_cycles + dram_ratio * (memory.dram_latency_cycles - memory.l2_latency_cycles)
    return memory.l1_latency_cycles + prints.l1_miss_ratio * (beyond - memory.l1_latency_cycles)
