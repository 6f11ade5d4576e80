import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.hardware import Limiter, load_gpu, theoretical_occupancy

H200 = load_gpu("h200")


# Blocks per SM as the CUDA occupancy calculator gives them for compute capability 9.0 and 8.6.
@pytest.mark.parametrize(
    ("key", "threads", "registers", "shared", "blocks", "limiter"),
    [
        ("h200", 256, 32, 0, 8, Limiter.WARPS),
        ("h200", 256, 33, 0, 6, Limiter.REGISTERS),
        ("h200", 32, 16, 0, 32, Limiter.BLOCKS),
        ("h200", 1024, 64, 0, 1, Limiter.REGISTERS),
        ("h200", 1024, 65, 0, 0, Limiter.REGISTERS),
        ("h200", 128, 255, 0, 2, Limiter.REGISTERS),
        ("h200", 128, 32, 48 * 1024, 4, Limiter.SHARED),
        ("h200", 128, 32, 227 * 1024, 1, Limiter.SHARED),
        ("h200", 128, 32, 227 * 1024 + 1, 0, Limiter.SHARED),
        ("h200", 1056, 32, 0, 0, Limiter.WARPS),
        ("h200", 1, 16, 0, 32, Limiter.BLOCKS),
        ("rtx3060_laptop", 1024, 32, 0, 1, Limiter.WARPS),
        ("rtx3060_laptop", 64, 32, 0, 16, Limiter.BLOCKS),
        ("rtx3060_laptop", 256, 40, 0, 6, Limiter.WARPS),
    ],
)
def test_blocks_per_sm(key: str, threads: int, registers: int, shared: int, blocks: int, limiter: Limiter) -> None:
    occupancy = theoretical_occupancy(load_gpu(key), threads, registers, shared)
    assert (occupancy.blocks_per_sm, occupancy.limiter) == (blocks, limiter)
    assert occupancy.warps == blocks * -(-threads // 32)


def test_unknown_registers_do_not_limit() -> None:
    assert theoretical_occupancy(H200, 256, None, 0).ratio == 1.0


@given(st.integers(1, 1024), st.integers(1, 255), st.integers(0, 232448))
def test_occupancy_never_grows_with_resources(threads: int, registers: int, shared: int) -> None:
    occupancy = theoretical_occupancy(H200, threads, registers, shared)
    assert 0 <= occupancy.ratio <= 1
    assert theoretical_occupancy(H200, threads, min(255, registers + 8), shared).warps <= occupancy.warps
    assert theoretical_occupancy(H200, threads, registers, shared + 512).warps <= occupancy.warps
