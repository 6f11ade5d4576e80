from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.emulator.cost import Estimate, estimate
from warpwright.emulator.counters.profile import Footprint, LaunchProfile, MemoryTraffic
from warpwright.hardware import GpuSpec, load_gpu

H200 = load_gpu("h200")
MIB = 1 << 20


def traffic(requests: float, sectors_per_request: float, access: str = "load", space: str = "global") -> MemoryTraffic:
    lines = max(1.0, sectors_per_request / 4) if sectors_per_request <= 4 else sectors_per_request
    return MemoryTraffic(
        space=space,
        access=access,
        line=None,
        requests=requests,
        lanes=32 * requests,
        bytes_per_lane=4,
        sectors=requests * sectors_per_request,
        lines=requests * lines,
        wavefronts=requests * max(lines, sectors_per_request / 4),
        conflicts=0.0,
        serial=0.0,
    )


def copy_of(elements: int, block: int = 256, sectors: float = 4.0) -> LaunchProfile:
    """An element-wise copy, `sectors` of 32 bytes to a warp's load: 4 = coalesced."""
    warps = elements / 32
    moved = 4.0 * elements * sectors / 4
    return LaunchProfile(
        grid=(max(1, elements // block), 1, 1),
        block=(block, 1, 1),
        shared_static_bytes=0,
        shared_dynamic_bytes=0,
        registers=16,
        blocks_run=8,
        instructions=12 * warps,
        lanes=12 * 32 * warps,
        by_pipe={"alu": 6 * warps, "lsu": 2 * warps, "control": 4 * warps},
        flops_fp16=0.0,
        flops_fp32=0.0,
        flops_fp64=0.0,
        barriers=0.0,
        shuffles=0.0,
        traffic=(traffic(warps, sectors), traffic(warps, 4, "store")),
        footprint=Footprint(1.0, moved / 16, moved / 16, moved, 4.0 * elements, 2 * moved, None),
        loads_in_flight=1.0,
        spread=1.0,
        slots={"alu": 6 * warps, "lsu": 2 * warps},
        chain_cycles=30.0,
        global_waits=1.0,
    )


def time_us(profile: LaunchProfile, gpu: GpuSpec = H200) -> float:
    return estimate(profile, gpu).time_us


def test_a_large_copy_is_bound_by_dram_and_near_its_bandwidth() -> None:
    four_in_flight = replace(copy_of(1 << 26, block=1024), global_waits=0.25)
    result = estimate(four_in_flight, H200)
    assert result.binding == "dram"
    assert result.time_us >= 2 * 4 * (1 << 26) / 4.8e12 * 1e6
    assert result.time_us <= 1.6 * 2 * 4 * (1 << 26) / 4.8e12 * 1e6


def test_nothing_is_faster_than_an_empty_launch_and_all_terms_are_given() -> None:
    result = estimate(copy_of(256), H200)
    assert result.time_us >= H200.launch_overhead_us
    assert result.binding == "launch"
    assert set(result.terms_us) == {"issue", "alu", "lsu", "l2", "dram", "blocks", "latency", "launch"}


@pytest.mark.parametrize("sectors", [8, 16, 32])
def test_uncoalesced_loads_are_slower(sectors: float) -> None:
    assert time_us(copy_of(1 << 24, sectors=sectors)) > 1.15 * time_us(copy_of(1 << 24))


def test_tiny_blocks_are_slower() -> None:
    assert time_us(copy_of(1 << 24, block=32)) > 2 * time_us(copy_of(1 << 24, block=256))


def test_few_blocks_are_slower() -> None:
    whole = copy_of(1 << 22)
    few = replace(whole, grid=(16, 1, 1), global_waits=1.0 * whole.grid_blocks / 16, chain_cycles=3000.0)
    assert time_us(few) > 3 * time_us(whole)
    assert estimate(few, H200).binding == "latency"


def test_atomics_on_one_line_bind() -> None:
    profile = copy_of(1 << 22)
    hot = replace(profile, footprint=replace(profile.footprint, hottest_atomic=float(1 << 22)))
    result = estimate(hot, H200)
    assert result.binding == "atomics"
    assert result.time_us == pytest.approx((1 << 22) * 3.5 / 1980, rel=0.02)


def test_a_warm_launch_that_fits_l2_needs_no_dram() -> None:
    profile = copy_of(4 * MIB)
    warm = estimate(profile, H200, cold_cache=False)
    assert "dram" not in warm.terms_us
    assert warm.time_us < estimate(profile, H200).time_us


def test_unknown_footprint_is_taken_as_all_missed() -> None:
    profile = copy_of(1 << 24)
    unknown = replace(profile, footprint=Footprint(None, None, None, None, None))
    assert time_us(unknown) == pytest.approx(time_us(profile), rel=0.15)


GROWING: dict[str, Callable[[LaunchProfile, float], LaunchProfile]] = {
    "chain": lambda profile, part: replace(profile, chain_cycles=1e4 * part),
    "global waits": lambda profile, part: replace(profile, global_waits=100 * part),
    "shared waits": lambda profile, part: replace(profile, shared_waits=100 * part),
    "barriers": lambda profile, part: replace(profile, barriers=1e6 * part),
    "shuffles": lambda profile, part: replace(profile, shuffles=1e7 * part),
    "spread": lambda profile, part: replace(profile, spread=1 + 3 * part),
    "slots": lambda profile, part: replace(profile, slots={"fma": 1e8 * part}),
}
parts = st.floats(0, 1)


@pytest.mark.parametrize("name", GROWING)
@given(a=parts, b=parts)
def test_more_of_anything_is_never_faster(name: str, a: float, b: float) -> None:
    low, high = (GROWING[name](copy_of(1 << 20), part) for part in sorted((a, b)))
    assert time_us(low) <= time_us(high) + 1e-9


@given(st.floats(4, 32), st.floats(4, 32))
def test_more_sectors_are_never_faster(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert time_us(copy_of(1 << 20, sectors=low)) <= time_us(copy_of(1 << 20, sectors=high)) + 1e-9


@given(st.integers(1, 400), st.integers(1, 300), st.integers(1, 300))
def test_more_sms_are_never_slower(blocks: int, a: int, b: int) -> None:
    few, many = sorted((a, b))
    profile = copy_of(blocks * 256)
    assert time_us(profile, replace(H200, sm_count=many)) <= time_us(profile, replace(H200, sm_count=few)) + 1e-9


@given(st.sampled_from(["h200", "a100", "rtx3060_laptop", "rtx4090"]), st.integers(8, 24))
def test_never_below_the_floor_of_its_own_traffic(key: str, exponent: int) -> None:
    gpu, profile = load_gpu(key), copy_of(1 << exponent)
    prints = profile.footprint
    assert prints.dram_read_bytes is not None
    assert prints.dram_write_bytes is not None
    floor = (prints.dram_read_bytes + prints.dram_write_bytes) / gpu.throughput.dram_bytes_per_s * 1e6
    assert time_us(profile, gpu) >= floor + gpu.launch_overhead_us


def test_an_estimate_says_which_term_binds() -> None:
    result = estimate(copy_of(1 << 20), H200)
    assert isinstance(result, Estimate)
    assert result.terms_us[result.binding] == max(result.terms_us.values())
