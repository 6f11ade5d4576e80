from dataclasses import replace

import pytest

from warpwright.compiler.result import KernelResources
from warpwright.device.protocol import CountedLaunch, TimeSource, Timing
from warpwright.profiler.counters import Quality
from warpwright.profiler.emulated import emulated_profile
from warpwright.profiler.profile import Cache, Source

COUNTED = CountedLaunch("kernel", 0, 1, blocks_run=32, grid_blocks=32)
TIMING = Timing(
    source=TimeSource.ESTIMATED,
    gpu="NVIDIA H200",
    samples_us=(10.0,),
    median_us=10.0,
    uncertainty_ratio=0.15,
    terms={"dram": 4.0, "launch": 2.6, "of another version": 1.0},
    counters={"global_load_sectors": 64.0, "dram_throughput_ratio": 0.4, "unheard_of": 1.0},
    notes=("sampled",),
)


def test_an_estimate_is_a_profile_that_says_so() -> None:
    profile = emulated_profile("case", "subject", TIMING, Cache.WARM, COUNTED)
    counters = profile.main.counters
    assert (counters["global_load_sectors"].quality, counters["global_load_sectors"].source) == (
        Quality.EXACT,
        Source.EMULATOR,
    )
    assert counters["dram_throughput_ratio"].quality is Quality.ESTIMATED
    assert profile.estimated
    assert profile.time_source is TimeSource.ESTIMATED
    assert profile.reason is not None
    assert (profile.time_us, profile.notes, profile.main.entry, profile.cache) == (
        10.0,
        ("sampled",),
        "kernel",
        Cache.WARM,
    )


@pytest.mark.parametrize(("ran", "grid"), [(26, 1056), (None, None)], ids=["part of the grid", "an older record"])
def test_counts_of_part_of_the_grid_are_not_called_exact(ran: int | None, grid: int | None) -> None:
    counted = replace(COUNTED, blocks_run=ran, grid_blocks=grid)
    timing = replace(TIMING, counters={**TIMING.counters, "grid_blocks": 1056.0, "block_threads": 128.0})
    profile = emulated_profile("case", "subject", timing, Cache.COLD, counted)
    qualities = {name: counter.quality for name, counter in profile.main.counters.items() if "model" not in name}
    assert qualities == {
        "global_load_sectors": Quality.SAMPLED,
        "dram_throughput_ratio": Quality.ESTIMATED,
        "grid_blocks": Quality.EXACT,  # the launch says it
        "block_threads": Quality.EXACT,
    }
    assert profile.reason is not None
    assert "counts are exact for the blocks that ran" in profile.reason


def test_names_outside_the_vocabulary_are_left_out() -> None:
    counters = emulated_profile("case", "subject", TIMING, Cache.COLD, COUNTED).main.counters
    assert set(counters) == {"global_load_sectors", "dram_throughput_ratio", "model_dram_ratio", "model_launch_ratio"}


def test_terms_of_the_cost_model_come_from_the_plan_where_the_launch_has_none() -> None:
    counters = emulated_profile("case", "subject", TIMING, Cache.COLD, COUNTED).main.counters
    assert counters["model_dram_ratio"].value == 0.4
    assert counters["model_dram_ratio"].source is Source.MODEL
    own = replace(TIMING, counters={"model_dram_ratio": 0.7})
    launch = emulated_profile("case", "subject", own, Cache.COLD, COUNTED).main.counters
    assert {name: counter.value for name, counter in launch.items()} == {"model_dram_ratio": 0.7}


def test_a_measured_time_has_no_counters_to_give() -> None:
    with pytest.raises(ValueError, match="measured"):
        emulated_profile("case", "subject", replace(TIMING, source=TimeSource.MEASURED), Cache.COLD, COUNTED)


def test_spills_come_from_the_compiler_and_are_unknown_without_its_report() -> None:
    spilled = KernelResources(255, 0, 64, spill_store_bytes=40, spill_load_bytes=24)
    launch = emulated_profile("case", "subject", TIMING, Cache.COLD, COUNTED, spilled).main
    assert launch.value("spill_bytes") == 64
    assert launch.counters["spill_bytes"].source is Source.COMPILER
    silent = replace(spilled, spill_load_bytes=None)
    assert emulated_profile("case", "subject", TIMING, Cache.COLD, COUNTED, silent).main.value("spill_bytes") is None


def test_an_estimate_of_several_launches_is_of_the_longest_and_says_how_many_there_are() -> None:
    profile = emulated_profile("case", "subject", TIMING, Cache.COLD, CountedLaunch("second", 1, 3))
    assert (profile.main.entry, profile.main.position) == ("second", 1)
    assert (len(profile.launches), profile.launch_count) == (1, 3)
    assert profile.uncertainty_ratio == 0.15
