"""Terms of the cost model that are amounts over rates: each resource as if it alone were the limit."""

from collections.abc import Iterable

from warpwright.emulator.cost.residency import Residency
from warpwright.emulator.counters.profile import LaunchProfile, MemoryTraffic
from warpwright.emulator.ops.table import Pipe
from warpwright.hardware import GpuSpec
from warpwright.units import US_PER_S

DRAM_EFFICIENCY = 0.92
"""Of the data-sheet bandwidth; H200: copy 0.89, read 0.95, write 0.98 (measured)."""

STORE_WAVEFRONTS = 2.0
"""LSU cycles of a store's wavefront over those of a load's; ncu on H200 counts about two."""

STORE_LINE_CYCLES = 4.0
"""SM cycles that one 128-byte line of a store or atomic takes on its way to L2, full or not. H200: transposes that write 8,
16 and 32 lines a warp take 4.2, 3.9 and 3.9 (measured)."""

BLOCK_START_CYCLES = 155.0
"""An SM is given a new block at most this often. H200: 157 at blocks of 32 threads, 159 at 128 (measured)."""

ALU_ONLY_RATIO = 0.6
"""Of the instructions that PTX gives to the ALU; ptxas moves additions, shifts and moves to the FMA pipe as it sees fit."""

SECTOR_BYTES = 32
WARP_LANES = 32


def throughput_us(profile: LaunchProfile, gpu: GpuSpec, place: Residency, *, cold_cache: bool) -> dict[str, float]:
    """Every rate-limited term in us, unused resources left out."""
    schedulers = min(1.0, place.warps_per_sm / gpu.throughput.schedulers_per_sm)
    cycles = {name: value / schedulers for name, value in _pipe_cycles(profile, gpu).items()}
    cycles["lsu"] = lsu_cycles(profile) / gpu.throughput.lsu_wavefronts_per_sm
    per_sm = place.imbalance / gpu.sm_count / gpu.throughput.clock_hz * US_PER_S
    cycles["blocks"] = profile.grid_blocks * BLOCK_START_CYCLES
    terms = {name: value * per_sm for name, value in cycles.items() if value}
    l2 = l2_sectors(profile) * SECTOR_BYTES / gpu.throughput.l2_bytes_per_s
    l2 = max(l2, _written_lines(profile) * STORE_LINE_CYCLES * place.imbalance / gpu.sm_count / gpu.throughput.clock_hz)
    dram = dram_bytes(profile, gpu, cold_cache=cold_cache) / (gpu.throughput.dram_bytes_per_s * DRAM_EFFICIENCY)
    terms |= {name: value * US_PER_S for name, value in (("l2", l2), ("dram", dram)) if value}
    atomics = atomic_cycles(profile, gpu) / gpu.throughput.clock_hz * US_PER_S
    return terms | ({"atomics": atomics} if atomics else {})


def l2_sectors(profile: LaunchProfile) -> float:
    """Sectors that reach L2; without a footprint all that leave the LSU."""
    known = profile.footprint.l2_sectors
    return known if known is not None else sum(t.sectors for t in _in(profile.traffic, "global"))


def dram_bytes(profile: LaunchProfile, gpu: GpuSpec, *, cold_cache: bool) -> float:
    """Bytes that DRAM moves; a warm launch whose data fits L2 moves none."""
    prints = profile.footprint
    if prints.dram_read_bytes is None or prints.dram_write_bytes is None:
        return l2_sectors(profile) * SECTOR_BYTES if cold_cache else 0.0
    moved = prints.dram_read_bytes + prints.dram_write_bytes
    if cold_cache or prints.unique_bytes is None or prints.unique_bytes > gpu.memory.l2_bytes:
        return moved
    return 0.0


def atomic_cycles(profile: LaunchProfile, gpu: GpuSpec) -> float:
    """Cycles of the L2 slice with the busiest line; it takes one read-modify-write of an address after another."""
    hottest = profile.footprint.hottest_atomic
    if hottest is None:
        return 0.0
    return hottest / gpu.throughput.atomic_per_l2_slice


def _pipe_cycles(profile: LaunchProfile, gpu: GpuSpec) -> dict[str, float]:
    """SM cycles of each pipe, summed over SMs."""
    rates = gpu.throughput
    slots = profile.slots or profile.by_pipe
    lanes = {pipe: slots.get(pipe.value, 0.0) * WARP_LANES for pipe in Pipe}
    return {
        "issue": sum(slots.values()) / rates.schedulers_per_sm,
        "alu": lanes[Pipe.ALU] * ALU_ONLY_RATIO / rates.int32_per_sm,
        "fma": lanes[Pipe.FMA] / rates.fp32_per_sm,
        "sfu": lanes[Pipe.SFU] / rates.sfu_per_sm,
        "fp64": lanes[Pipe.FP64] / rates.fp64_per_sm,
        "half": 0.0 if lanes[Pipe.TENSOR] else profile.flops_fp16 / 2 / rates.fp16_per_sm,
        "tensor": profile.flops_fp16 / rates.tensor_fp16_flops_per_sm if lanes[Pipe.TENSOR] else 0.0,
    }


def lsu_cycles(profile: LaunchProfile) -> float:
    """Wavefronts of all SMs; shuffles pass through the same unit."""
    cycles = profile.shuffles - profile.merged_wavefronts + profile.shared_atomic_cycles
    for traffic in profile.traffic:
        if traffic.access == "atomic" and traffic.space == "shared":
            continue
        if traffic.access == "load":
            cycles += traffic.wavefronts
        else:
            cycles += traffic.wavefronts * (STORE_WAVEFRONTS if traffic.space != "shared" else 1.0)
    return cycles


def _written_lines(profile: LaunchProfile) -> float:
    """Lines that go to L2 one by one."""
    return sum(t.lines for t in _in(profile.traffic, "global") if t.access != "load")


def _in(traffic: Iterable[MemoryTraffic], space: str) -> list[MemoryTraffic]:
    return [t for t in traffic if t.space == space]
