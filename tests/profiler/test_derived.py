from dataclasses import replace

import pytest

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.compiler.result import KernelResources
from warpwright.device.protocol import Program, RunRequest
from warpwright.hardware import load_gpu
from warpwright.profiler.counters import metrics
from warpwright.profiler.derived import RunFacts, derived_profile
from warpwright.profiler.profile import Cache, Source

LAUNCH = ResolvedLaunch("k", (1000, 1, 1), (256, 1, 1), 1024, ("y",))
KNOWN = KernelResources(64, 2048, 0, 16, 24)
REASON = "Nsight Compute was not found."


def facts(resources: KernelResources = KNOWN, launches: int = 1, cache: Cache = Cache.COLD) -> RunFacts:
    program = Program("", b"", "sm_90", {"k": "k"}, {"k": resources}, "kernel.cu")
    request = RunRequest(program, ResolvedPlan((LAUNCH,) * launches, ()), ())
    return RunFacts("c", "id", request, load_gpu("h200"), cache, time_us=100.0, unique_bytes=100e6)


def test_compiler_and_launch_are_known_without_a_counter() -> None:
    profile = derived_profile(facts(), REASON)
    main = profile.main
    assert profile.reason == REASON
    assert profile.estimated
    assert main.value("grid_blocks") == 1000
    assert main.value("spill_bytes") == 40
    assert main.value("registers_per_thread") == 64
    assert main.counters["registers_per_thread"].source is Source.COMPILER
    assert main.value("occupancy_theoretical_ratio") == 0.5
    assert main.value("waves_per_sm") == pytest.approx(1000 / (4 * 132))
    assert set(main.counters) <= set(metrics())


def test_the_least_that_dram_can_have_done() -> None:
    gpu = facts().gpu
    profile = derived_profile(facts(), REASON)
    expected = 100e6 / (gpu.throughput.dram_bytes_per_s * 100e-6)
    assert profile.main.value("dram_throughput_ratio") == pytest.approx(expected)
    assert profile.main.value("duration_ns") == pytest.approx(100_000)
    assert "the least that it can be" in profile.notes[0]


def test_a_warm_cache_says_nothing_of_dram() -> None:
    assert derived_profile(facts(cache=Cache.WARM), REASON).main.value("dram_throughput_ratio") is None


def test_the_time_of_several_launches_is_the_time_of_none_of_them() -> None:
    profile = derived_profile(facts(launches=2), REASON)
    assert [launch.position for launch in profile.launches] == [0, 1]
    assert profile.main.value("duration_ns") is None
    assert profile.time_us == 100.0


@pytest.mark.parametrize("lost", ["registers", "shared_static_bytes"])
def test_occupancy_is_not_guessed(lost: str) -> None:
    counters = derived_profile(facts(replace(KNOWN, **{lost: None})), REASON).main.counters
    assert not any(name.startswith("occupancy") for name in counters)
    assert "waves_per_sm" not in counters
