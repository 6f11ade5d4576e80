"""GPUs as a driver reports them: described ones, unknown ones, ones of tomorrow, drivers that say little."""

import pytest

from warpwright.hardware import load_gpu
from warpwright.hardware.occupancy import theoretical_occupancy
from warpwright.hardware.reported import reported_gpu
from warpwright.units import GIB

ATTRIBUTES: dict[str, int | None] = {
    "MULTIPROCESSOR_COUNT": 46,
    "CLOCK_RATE": 2_500_000,
    "MEMORY_CLOCK_RATE": 10_000_000,
    "GLOBAL_MEMORY_BUS_WIDTH": 256,
    "L2_CACHE_SIZE": 40 << 20,
    "MAX_THREADS_PER_BLOCK": 1024,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 101_376,
    "MAX_GRID_DIM_X": 2**31 - 1,
    "MAX_GRID_DIM_Y": 65_535,
    "MAX_GRID_DIM_Z": 65_535,
    "CLUSTER_LAUNCH": 0,
}


def test_a_described_gpu_keeps_its_rates_and_takes_its_limits_from_the_driver() -> None:
    described = load_gpu("h200")
    found = reported_gpu(
        "NVIDIA H200", (9, 0), 140 * GIB, {"MAX_BLOCKS_PER_MULTIPROCESSOR": 24, "L2_CACHE_SIZE": 1 << 20}
    )
    assert found.throughput == described.throughput
    assert (found.key, found.calibrated) == ("h200", described.calibrated)
    assert found.limits.max_blocks_per_sm == 24
    assert (found.memory.dram_bytes, found.memory.l2_bytes) == (140 * GIB, 1 << 20)
    assert found.memory.l2_latency_cycles == described.memory.l2_latency_cycles


def test_a_described_gpu_may_have_another_name_in_the_driver() -> None:
    found = reported_gpu("NVIDIA H100 80GB HBM3", (9, 0), 80 * GIB, {})
    assert (found.key, found.name) == ("h100", "NVIDIA H100 80GB HBM3")
    assert found.throughput == load_gpu("h100").throughput


def test_an_unknown_gpu_is_made_of_its_attributes() -> None:
    found = reported_gpu("NVIDIA GeForce RTX 4070", (8, 9), 12 * GIB, ATTRIBUTES)
    assert (found.key, found.arch, found.calibrated) == ("nvidia_geforce_rtx_4070", "sm_89", False)
    assert found.sm_count == 46
    assert found.throughput.clock_hz == 2.5e9
    assert found.throughput.dram_bytes_per_s == 2 * 10e9 * 32
    assert (found.throughput.fp32_per_sm, found.throughput.fp64_per_sm) == (128, 2)
    assert (found.memory.l2_bytes, found.memory.dram_bytes) == (40 << 20, 12 * GIB)
    assert found.limits.max_cluster_blocks == 1
    assert "assumed" not in found.source
    assert theoretical_occupancy(found, 256, 32, 0).ratio == 1.0


@pytest.mark.parametrize(
    "capability", [(7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (12, 0), (12, 1)]
)
def test_every_capability_of_the_table_is_a_whole_gpu(capability: tuple[int, int]) -> None:
    found = reported_gpu("Some GPU", capability, GIB, {})
    assert found.arch == f"sm_{capability[0]}{capability[1]}"
    assert f"rates of compute capability {capability[0]}.{capability[1]}: " in found.source
    assert "DRAM bandwidth assumed" in found.source
    assert found.throughput.dram_bytes_per_s > 1e11
    assert theoretical_occupancy(found, 128, 32, 1024).blocks_per_sm >= 1


def test_a_gpu_of_tomorrow_is_taken_for_the_nearest_lower_one() -> None:
    found = reported_gpu("NVIDIA Tomorrow", (11, 0), GIB, ATTRIBUTES)
    assert (found.arch, found.throughput.fp64_per_sm) == ("sm_110", 2)
    assert "rates of compute capability 10.3" in found.source
    assert "(11.0 is not in the table)" in found.source


@pytest.mark.parametrize("key", ["a100", "h100", "h200", "l40s", "rtx3060_laptop", "rtx4090"])
def test_the_table_agrees_with_the_described_gpus(key: str) -> None:
    described = load_gpu(key)
    found = reported_gpu("Some GPU", described.compute_capability, described.memory.dram_bytes, {})
    assert found.limits == described.limits
    for rate in ("fp32_per_sm", "fp64_per_sm", "fp16_per_sm", "int32_per_sm", "sfu_per_sm"):
        assert getattr(found.throughput, rate) == getattr(described.throughput, rate), rate
