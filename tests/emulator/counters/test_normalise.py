from dataclasses import replace

import pytest

from warpwright.emulator.cost import Estimate, estimate
from warpwright.emulator.counters.normalise import emulated_counters
from warpwright.emulator.counters.profile import UNKNOWN_FOOTPRINT, Footprint, LaunchProfile, MemoryTraffic
from warpwright.hardware import load_gpu
from warpwright.profiler import Quality, metrics

H200 = load_gpu("h200")
ESTIMATE = Estimate(
    10.0,
    {"issue": 2.0, "lsu": 5.0, "l2": 1.0, "dram": 4.0, "latency": 3.0, "launch": 2.6},
    "lsu",
    {"memory": 2.0, "barrier": 1.0},
)


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
        assert metrics()[name].emulator in (Quality.EXACT, Quality.SAMPLED, Quality.ESTIMATED)
    terms = {name for name in metrics() if name.startswith("model_")}
    claimed = {name for name, metric in metrics().items() if metric.emulator} - terms - {"spill_bytes"}
    assert claimed == set(emulated_counters(PROFILE, ESTIMATE, H200)) - terms


def test_terms_of_the_cost_model_are_counters_over_the_whole_time() -> None:
    counters = emulated_counters(PROFILE, ESTIMATE, H200)
    terms = {name: value for name, value in counters.items() if name.startswith("model_")}
    assert terms["model_lsu_ratio"] == 0.5
    assert terms["model_memory_wait_ratio"] == 0.2
    assert terms["model_barrier_wait_ratio"] == 0.1
    assert len(terms) == len(ESTIMATE.terms_us) + len(ESTIMATE.waits_us)


def test_the_vocabulary_holds_every_term_of_a_real_estimate() -> None:
    busy = replace(
        PROFILE,
        slots=dict.fromkeys(("alu", "fma", "fp64", "sfu", "lsu", "tensor"), 100.0),
        flops_fp16=64.0,
        footprint=Footprint(0.25, 500.0, 1000.0, 16_000.0, 8_000.0, hottest_atomic=50.0),
    )
    plain = replace(busy, slots={"fma": 100.0})
    names = set(emulated_counters(busy, estimate(busy, H200), H200)) | set(
        emulated_counters(plain, estimate(plain, H200), H200)
    )
    assert names <= set(metrics())
    assert {name for name in metrics() if name.startswith("model_")} <= names


def test_blocks_that_run_longer_than_the_mean_leave_sms_idle() -> None:
    balanced = emulated_counters(PROFILE, ESTIMATE, H200)
    skewed = emulated_counters(replace(PROFILE, spread=4.0), ESTIMATE, H200)
    few = emulated_counters(replace(PROFILE, grid=(66, 1, 1)), ESTIMATE, H200)
    assert balanced["sm_active_cycles_avg"] == balanced["sm_elapsed_cycles"]
    assert skewed["sm_active_cycles_avg"] == pytest.approx(skewed["sm_elapsed_cycles"] / 4)
    assert few["sm_active_cycles_avg"] == pytest.approx(few["sm_elapsed_cycles"] / 2)
    assert (few["occupancy_achieved_ratio"], balanced["occupancy_achieved_ratio"]) == (8 / 64, 16 / 64)
