"""The term for waiting: too few warps, or too few loads in flight, to keep any unit busy.

By Little's law the bytes in flight are those of the resident warps, and each warp has its own chain of waits; the launch
cannot end before its rounds of blocks have gone through theirs.
"""

import math

from warpwright.emulator.cost.residency import Residency
from warpwright.emulator.cost.throughput import SECTOR_BYTES, dram_bytes
from warpwright.emulator.counters.profile import Footprint, LaunchProfile
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
    """Mean length of a wait for global loads; without a footprint all go to L2.

    Loads that are in flight together are waited for together: the farthest decides.
    """
    memory, prints = gpu.memory, profile.footprint
    late = prints.l1_miss_ratio if prints.late_ratio is None else prints.late_ratio
    if late is None or prints.l1_miss_ratio is None:
        return memory.l2_latency_cycles
    missed = prints.l1_miss_ratio * sum(
        t.sectors for t in profile.traffic if t.space == "global" and t.access == "load"
    )
    fetched = dram_bytes(profile, gpu, cold_cache=cold_cache) * _read_ratio(prints) / SECTOR_BYTES
    far = late * min(1.0, fetched / missed) if missed else 0.0
    together = max(1.0, profile.loads_in_flight)
    any_late, any_far = (1 - math.pow(1 - part, together) for part in (late, far))
    return (
        memory.l1_latency_cycles
        + any_late * (memory.l2_latency_cycles - memory.l1_latency_cycles)
        + any_far * (memory.dram_latency_cycles - memory.l2_latency_cycles)
    )


def _read_ratio(prints: Footprint) -> float:
    """Of the bytes that DRAM moves."""
    read, written = prints.dram_read_bytes or 0.0, prints.dram_write_bytes or 0.0
    return read / (read + written) if read + written else 0.0
