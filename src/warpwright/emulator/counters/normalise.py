"""A profile and its estimate as normalised counters: the names that diagnosis, proposers and reports share.

Names and units: `profiler/metrics.toml`. What the emulator does not know is left out, never 0; a ratio whose denominator is
0 is left out too.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from warpwright.emulator.counters.profile import LaunchProfile, MemoryTraffic
from warpwright.hardware import GpuSpec, Limiter, theoretical_occupancy
from warpwright.units import US_PER_S

SECTOR_BYTES = 32
NS_PER_US = 1000.0

_PIPE_TERMS = ("alu", "fma", "fp64", "tensor")


class Estimated(Protocol):
    """What is read of an estimate (`cost.Estimate`)."""

    @property
    def time_us(self) -> float:
        """Whole launch."""
        ...

    @property
    def terms_us(self) -> Mapping[str, float]:
        """By resource."""
        ...

    @property
    def waits_us(self) -> Mapping[str, float]:
        """Parts of the latency term."""
        ...


def emulated_counters(profile: LaunchProfile, estimate: Estimated, gpu: GpuSpec) -> dict[str, float]:
    """Normalised name -> value, for one launch."""
    known: dict[str, float | None] = {
        **_launch(profile, gpu),
        **_memory(profile),
        **_shared_memory(profile),
        **_beyond_l1(profile),
        **_estimated(profile, estimate, gpu),
        **_shares(estimate),
    }
    return {name: float(value) for name, value in known.items() if value is not None}


def _launch(profile: LaunchProfile, gpu: GpuSpec) -> dict[str, float | None]:
    occupancy = theoretical_occupancy(gpu, profile.block_threads, profile.registers, profile.shared_bytes)
    limits = {f"occupancy_limit_{name.value}_blocks": float(blocks) for name, blocks in occupancy.limits.items()}
    if profile.registers is None:
        del limits[f"occupancy_limit_{Limiter.REGISTERS.value}_blocks"]
    return {
        "grid_blocks": profile.grid_blocks,
        "block_threads": profile.block_threads,
        "sm_count": gpu.sm_count,
        "waves_per_sm": _over(profile.grid_blocks, gpu.sm_count * occupancy.blocks_per_sm),
        "registers_per_thread": profile.registers,
        "shared_static_bytes": profile.shared_static_bytes,
        "shared_dynamic_bytes": profile.shared_dynamic_bytes,
        "occupancy_theoretical_ratio": occupancy.ratio,
        "instructions": profile.instructions,
        "threads_per_instruction": _over(profile.lanes, profile.instructions),
        "flop_fp16": profile.flops_fp16,
        "flop_fp32": profile.flops_fp32,
        "flop_fp64": profile.flops_fp64,
        **limits,
    }


def _memory(profile: LaunchProfile) -> dict[str, float | None]:
    counters: dict[str, float | None] = {}
    excess = asked = 0.0
    for access in ("load", "store"):
        moved = _of(profile.traffic, "global", access)
        sectors, used = sum(t.sectors for t in moved), sum(t.lanes * t.bytes_per_lane for t in moved)
        counters[f"global_{access}_sectors"] = sectors
        counters[f"global_{access}_requests"] = sum(t.requests for t in moved)
        counters[f"global_{access}_bytes_per_sector"] = _over(used, sectors)
        counters[f"local_{access}_instructions"] = sum(t.requests for t in _of(profile.traffic, "local", access))
        excess += sum(max(0.0, t.sectors - _least_sectors(t)) for t in moved)
        asked += sectors
    counters["global_excess_ratio"] = _over(excess, asked)
    atomics = _of(profile.traffic, "global", "atomic")
    counters["l2_atomic_sectors"] = sum(t.sectors for t in atomics)
    return counters


def _least_sectors(traffic: MemoryTraffic) -> float:
    """Sectors that the same lanes would need side by side; a broadcast needs fewer, and is no excess."""
    return traffic.lanes * traffic.bytes_per_lane / SECTOR_BYTES


def _shared_memory(profile: LaunchProfile) -> dict[str, float | None]:
    shared = [t for t in profile.traffic if t.space == "shared"]
    conflicts, wavefronts = sum(t.conflicts for t in shared), sum(t.wavefronts for t in shared)
    return {
        "shared_bank_conflicts": conflicts,
        "shared_wavefronts": wavefronts,
        "shared_conflict_ratio": _over(conflicts, wavefronts),
    }


def _beyond_l1(profile: LaunchProfile) -> dict[str, float | None]:
    prints = profile.footprint
    l2_hits: float | None = None
    if prints.l2_sectors and prints.dram_read_bytes is not None:
        l2_hits = max(0.0, 1 - prints.dram_read_bytes / SECTOR_BYTES / prints.l2_sectors)
    return {
        "dram_read_bytes": prints.dram_read_bytes,
        "dram_write_bytes": prints.dram_write_bytes,
        "l1_hit_ratio": None if prints.l1_miss_ratio is None else 1 - prints.l1_miss_ratio,
        "l2_hit_ratio": l2_hits,
    }


def _estimated(profile: LaunchProfile, estimate: Estimated, gpu: GpuSpec) -> dict[str, float | None]:
    time_us, terms = estimate.time_us, estimate.terms_us
    busy = {
        name: terms.get(name, 0.0) / time_us for name in (*_PIPE_TERMS, "issue", "sfu", "half", "lsu", "l2", "dram")
    }
    cycles = time_us * gpu.throughput.clock_hz / US_PER_S
    lsu = (
        (profile.slots or profile.by_pipe).get("lsu", 0.0)
        / gpu.throughput.lsu_wavefronts_per_sm
        / gpu.sm_count
        / cycles
    )
    prints = profile.footprint
    peak_us = None
    if prints.dram_read_bytes is not None and prints.dram_write_bytes is not None:
        peak_us = (prints.dram_read_bytes + prints.dram_write_bytes) / gpu.throughput.dram_bytes_per_s * US_PER_S
    dram = None if peak_us is None else peak_us / time_us
    return {
        "duration_ns": time_us * NS_PER_US,
        "dram_throughput_ratio": dram,
        "l2_throughput_ratio": None if prints.l2_sectors is None else busy["l2"],
        "l1_throughput_ratio": busy["lsu"],
        "memory_throughput_ratio": max(busy["lsu"], busy["l2"], dram or 0.0),
        "sm_throughput_ratio": max(*(busy[name] for name in (*_PIPE_TERMS, "issue", "sfu", "half")), lsu),
        "issue_active_ratio": busy["issue"],
        "pipe_xu_ratio": busy["sfu"],
        "pipe_lsu_ratio": lsu,
        **{f"pipe_{name}_ratio": busy[name] for name in _PIPE_TERMS},
        **_residency(profile, cycles, gpu),
    }


def _residency(profile: LaunchProfile, elapsed_cycles: float, gpu: GpuSpec) -> dict[str, float | None]:
    """How full the SMs are and for how long; blocks that run longer than the mean run on alone at the end."""
    occupancy = theoretical_occupancy(gpu, profile.block_threads, profile.registers, profile.shared_bytes)
    per_sm = profile.grid_blocks / gpu.sm_count
    busiest = -(-profile.grid_blocks // gpu.sm_count)
    together = min(max(1, occupancy.blocks_per_sm), busiest)
    most_warps = gpu.limits.max_threads_per_sm // gpu.warp_size
    rounds = busiest / together
    active = min(1.0, per_sm / together / (rounds + profile.spread - 1))
    return {
        "occupancy_achieved_ratio": together * profile.block_warps / most_warps,
        "sm_elapsed_cycles": elapsed_cycles,
        "sm_active_cycles_avg": elapsed_cycles * active,
    }


def _shares(estimate: Estimated) -> dict[str, float | None]:
    """Terms of the cost model over the whole time: what stands in for stall reasons. They overlap, so do not sum to 1."""
    named = {f"model_{name}_ratio": us for name, us in estimate.terms_us.items()}
    named |= {f"model_{name}_wait_ratio": us for name, us in estimate.waits_us.items()}
    return {name: us / estimate.time_us for name, us in named.items()}


def _of(traffic: Iterable[MemoryTraffic], space: str, access: str) -> list[MemoryTraffic]:
    return [t for t in traffic if t.space == space and t.access == access]


def _over(part: float, whole: float) -> float | None:
    return part / whole if whole else None
