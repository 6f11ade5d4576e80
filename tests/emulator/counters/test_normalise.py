from dataclasses import replace

import pytest

from warpwright.emulator.cost import Estimate
from warpwright.emulator.counters.normalise import emulated_counters
from warpwright.emulator.counters.profile import UNKNOWN_FOOTPRINT, Footprint, LaunchProfile, MemoryTraffic
from warpwright.hardware import load_gpu
from warpwright.profiler import Quality, metrics

H200 = load_gpu("h200")
ESTIMATE = Estimate(10.0, {"issue": 2.0, "lsu": 5.0, "l2": 1.0, "dram": 4.0, "latency": 3.0, "launch": 2.6}, "lsu")


def moved(space: str, access: str, sectors: float, wavefronts: float = 100.0, conflicts: float = 0.0) -> MemoryTraffic:
    return MemoryTraffic(space, access, 3, 100.0, 3200.0, 4, sectors, 100.0, wavefronts, conflicts, 0.0)


PROFILE = LaunchProfile(
    grid=(264, 1, 1),
    block=(256, 1, 1),
    shared_static_bytes=1024,
    shared_dynamic_bytes=0,
    registers=40,
    blocks_run=24,
    instructions=1000.0,
    lanes=24_000.0,
    by_pipe={"alu": 500.0},
    flops_fp16=0.0,
    flops_fp32=64.0,
    flops_fp64=0.0,
    barriers=0.0,
    shuffles=0.0,
    traffic=(
        moved("global", "load", 1600.0),
        moved("global", "store", 400.0),
        moved("shared", "load", 0.0, 400.0, 300.0),
        moved("global", "atomic", 50.0),
    ),
    footprint=Footprint(0.25, 500.0, 1000.0, 16_000.0, 8_000.0),
    loads_in_flight=2.0,
    spread=1.0,
)


def test_counters_of_a_launch() -> None:
    counters = emulated_counters(PROFILE, ESTIMATE, H200)
    expected = {
        "duration_ns": 10_000.0,
        "grid_blocks": 264.0,
        "waves_per_sm": 264 / (132 * 6),
        "occupancy_theoretical_ratio": 0.75,
        "occupancy_limit_registers_blocks": 6.0,
        "global_load_sectors": 1600.0,
        "global_load_bytes_per_sector": 8.0,
        "global_store_bytes_per_sector": 32.0,
        "global_excess_ratio": 1200 / 2000,
        "shared_conflict_ratio": 0.75,
        "l1_hit_ratio": 0.75,
        "l2_hit_ratio": 0.5,
        "dram_read_bytes": 16_000.0,
        "threads_per_instruction": 24.0,
        "l1_throughput_ratio": 0.5,
        "l2_atomic_sectors": 50.0,
        "flop_fp32": 64.0,
    }
    assert {name: counters[name] for name in expected} == pytest.approx(expected)


def test_unknown_is_missing_never_zero() -> None:
    blind = replace(PROFILE, footprint=UNKNOWN_FOOTPRINT, registers=None, traffic=())
    counters = emulated_counters(blind, ESTIMATE, H200)
    unknown = {"l1_hit_ratio", "l2_hit_ratio", "dram_read_bytes", "dram_throughput_ratio", "registers_per_thread"}
    no_denominator = {"global_load_bytes_per_sector", "shared_conflict_ratio", "global_excess_ratio"}
    assert not (unknown | no_denominator | {"occupancy_limit_registers_blocks"}) & set(counters)
    assert counters["global_load_sectors"] == 0.0


def test_every_counter_is_in_the_vocabulary_and_the_emulator_claims_it() -> None:
    for name in emulated_counters(PROFILE, ESTIMATE, H200):
        assert metrics()[name].emulator in (Quality.EXACT, Quality.ESTIMATED)
    claimed = {name for name, metric in metrics().items() if metric.emulator}
    assert claimed == set(emulated_counters(PROFILE, ESTIMATE, H200))
