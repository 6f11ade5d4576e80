"""Counts of memory requests: every path of the runtime against NumPy's plain definition of them."""

import numpy as np
import pytest

from emulator.jit.launching import Array, Setting, compile_cuda, graph_of, launch_on_both
from warpwright.emulator.counters.raw import MemoryCount

RANDOM = np.random.default_rng(0)
PATTERNS = {
    "descending": np.arange(31, -1, -1) * 1000,
    "ascending with repeats": np.arange(32) // 3 * 700,
    "two rows": np.arange(32) % 16 + np.arange(32) // 16 * 9000,
    "scattered": RANDOM.integers(0, 100_000, 32),
    "scattered with repeats": RANDOM.integers(0, 100_000, 8)[RANDOM.integers(0, 8, 32)],
    "one far": np.where(np.arange(32) == 17, 90_000, np.arange(32)),
    "shifted": np.arange(32) + 3,
    "broadcast": np.full(32, 77),
}
MASKS = {"all": np.full(32, 1), "odd": np.arange(32) % 2, "one": np.arange(32) == 30, "tail": np.arange(32) < 19}

GATHER = """extern "C" __global__ void k(const TYPE* x, const int* place, const int* on, TYPE* y) {
    if (on[threadIdx.x]) y[threadIdx.x] = x[place[threadIdx.x]];
}"""


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_global_gather(pattern: Array, mask: Array, size: int) -> None:
    kind = {1: "char", 2: "short", 4: "float", 8: "float2", 16: "float4"}[size]
    graph = graph_of(compile_cuda(GATHER.replace("TYPE", kind)))
    source = RANDOM.integers(0, 256, 100_000 * size, dtype=np.uint8)
    arrays = source, pattern.astype(np.int32), mask.astype(np.int32), np.zeros(32 * size, np.uint8)
    launched = launch_on_both(graph, arrays)
    chosen = pattern[mask != 0]
    expected = np.zeros((32, size), np.uint8)
    expected[mask != 0] = source.reshape(-1, size)[chosen]
    assert launched.arrays[3].tobytes() == expected.tobytes()
    sectors, lines = len(np.unique(chosen * size // 32)), len(np.unique(chosen * size // 128))
    counted = [1, len(chosen), sectors, lines, max(lines, -(-sectors // 4)), 0, 0]
    assert counted in launched.report.counts.memory.tolist()


SHARED = """extern "C" __global__ void k(const int* place, const int* on, TYPE* y) {
    extern __shared__ float4 area[];
    if (on[threadIdx.x]) y[threadIdx.x] = ((const TYPE*)area)[place[threadIdx.x]];
}"""


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("stride", [0, 1, 2, 3, 5, 8, 16, 32, 33, -1])
def test_shared_bank_conflicts(stride: int, mask: Array, size: int) -> None:
    kind = {1: "char", 2: "short", 4: "float", 8: "float2", 16: "float4"}[size]
    graph = graph_of(compile_cuda(SHARED.replace("TYPE", kind)))
    place = np.arange(32) * stride + (31 if stride < 0 else 0)
    arrays = place.astype(np.int32), mask.astype(np.int32), np.zeros(32 * size, np.uint8)
    launched = launch_on_both(graph, arrays, Setting(shared_bytes=32 * 33 * 16 + 16))
    (row,) = [r for r in launched.report.counts.memory.tolist() if r[MemoryCount.SECTORS] == 0]
    assert row[MemoryCount.LANES] == np.count_nonzero(mask)
    if size == 4 and mask.all():
        wavefronts = max(np.bincount(np.unique(place) % 32))
        assert row[MemoryCount.WAVEFRONTS] == wavefronts


def test_a_shared_pattern_that_moves_is_counted_anew_only_where_it_must() -> None:
    source = """extern "C" __global__ void k(float* y) {
        __shared__ float area[2048];
        float sum = 0;
        for (int k = 0; k < 40; ++k) sum += area[(threadIdx.x * (k < 20 ? 1 : 2) + k * 7) % 2048];
        y[threadIdx.x] = sum;
    }"""
    launched = launch_on_both(graph_of(compile_cuda(source)), [np.zeros(64, np.float32)], Setting(block=(64, 1, 1)))
    assert launched.report.counts.memory[:, MemoryCount.CONFLICTS].sum() == 2 * 20


def test_atomics_count_lanes_that_meet() -> None:
    source = """extern "C" __global__ void k(int* a) {
        atomicAdd(a, 1); atomicAdd(a + threadIdx.x, 1); if (threadIdx.x < 20) atomicAdd(a + threadIdx.x / 5, 1);
    }"""
    launched = launch_on_both(graph_of(compile_cuda(source)), [np.zeros(32, np.int32)])
    assert launched.report.counts.memory[:, MemoryCount.SERIAL].tolist() == [32, 1, 5]
