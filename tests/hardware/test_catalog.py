import pytest

from warpwright.errors import InputError
from warpwright.hardware import gpu_keys, load_gpu

# fp32 and dense fp16 tensor TFLOP/s of the data sheets: clock, SM count and per-SM rates must multiply to them.
DATA_SHEET = {
    "a100": (19.5, 312.0),
    "h100": (67.0, 1070.0),
    "h200": (67.0, 1070.0),
    "l40s": (91.6, 362.0),
    "rtx4090": (82.6, 165.2),
    "rtx3060_laptop": (10.9, 21.9),
}


def test_every_described_gpu_is_in_the_table() -> None:
    assert set(gpu_keys()) == set(DATA_SHEET)


@pytest.mark.parametrize("key", DATA_SHEET)
def test_rates_multiply_to_the_data_sheet(key: str) -> None:
    gpu = load_gpu(key)
    rates = gpu.throughput
    fp32, tensor = DATA_SHEET[key]
    assert 2 * rates.fp32_per_sm * gpu.sm_count * rates.clock_hz / 1e12 == pytest.approx(fp32, rel=0.02)
    assert rates.tensor_fp16_flops_per_sm * gpu.sm_count * rates.clock_hz / 1e12 == pytest.approx(tensor, rel=0.02)


@pytest.mark.parametrize("key", DATA_SHEET)
def test_a_description_is_consistent(key: str) -> None:
    gpu = load_gpu(key)
    assert gpu.key == key
    assert gpu.arch == f"sm_{gpu.compute_capability[0]}{gpu.compute_capability[1]}"
    assert gpu.source
    limits, memory = gpu.limits, gpu.memory
    assert limits.shared_per_block_bytes <= limits.shared_per_block_optin_bytes < limits.shared_per_sm_bytes
    assert limits.shared_per_block_optin_bytes + limits.shared_reserved_bytes == limits.shared_per_sm_bytes
    assert limits.shared_per_sm_bytes < memory.l1_bytes < memory.l2_bytes < memory.dram_bytes
    assert (
        memory.shared_latency_cycles < memory.l1_latency_cycles < memory.l2_latency_cycles < memory.dram_latency_cycles
    )
    assert isinstance(limits.max_grid, tuple)


def test_an_unknown_gpu_names_the_known_ones() -> None:
    with pytest.raises(InputError) as raised:
        load_gpu("h20")
    assert str(raised.value) == (
        "GPU 'h20' is not described; known: a100, h100, h200, l40s, rtx3060_laptop, rtx4090. Did you mean h200?"
    )
