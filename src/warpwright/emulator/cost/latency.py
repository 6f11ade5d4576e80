"""The term for waiting: too few warps, or too few loads in flight, to keep any unit busy.

By Little's law the bytes in flight are those of the resident warps, and each warp has its own chain of waits; the launch
cannot end before its rounds of blocks have gone through theirs.
"""

from warpwright.emulator.cost.residency import Residency
from warpwright.emulator.cost.throughput import dram_bytes, lsu_cycles
from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.hardware import GpuSpec

BLOCK_CYCLES = 300.0
"""Start and end of a block: its slot is filled again, parameters are fetched. Source: order of an empty block's lifetime."""

BARRIER_CYCLES = 30.0
"""A barrier that everyone has reached. Source: micro-benchmarks, 20 to 40."""


def block_lives(profile: LaunchProfile, place: Residency) -> float:
    """Lives of a mean block from the first one's start to the last one's end."""
    return place.rounds + profile.spread - 1


def life_cycles(profile: LaunchProfile, gpu: GpuSpec, *, cold_cache: bool) -> dict[str, float]:
    """Cycles of one warp's life if only dependences cost time, mean, by what is waited for.

    `start` of a block, `chain` of dependent arithmetic, `memory` (global), `shared`, `barrier`, `wavefronts` of its own.
    """
    warps = profile.grid_blocks * profile.block_warps
    return {
        "start": BLOCK_CYCLES,
        "chain": profile.chain_cycles,
        "memory": wait_cycles(profile, gpu, cold_cache=cold_cache),
        "shared": profile.shared_waits * gpu.memory.shared_latency_cycles,
        "barrier": profile.barriers / warps * BARRIER_CYCLES,
        "wavefronts": lsu_cycles(profile) / warps,  # they pass one by one, whoever else is there
    }


def wait_cycles(profile: LaunchProfile, gpu: GpuSpec, *, cold_cache: bool) -> float:
    """Cycles that one warp waits for global memory, mean; where the data lies is taken as L2 if unknown."""
    memory = gpu.memory
    beyond_l1 = profile.global_waits if profile.l2_waits is None else profile.l2_waits
    moved = dram_bytes(profile, gpu, cold_cache=cold_cache)
    beyond_l2 = profile.dram_waits if profile.dram_waits is not None and moved else 0.0
    return (
        profile.global_waits * memory.l1_latency_cycles
        + beyond_l1 * (memory.l2_latency_cycles - memory.l1_latency_cycles)
        + beyond_l2 * (memory.dram_latency_cycles - memory.l2_latency_cycles)
    )
