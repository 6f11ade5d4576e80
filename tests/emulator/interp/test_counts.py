"""Counts that can be worked out by hand; the LLVM executor must give the same."""

from pathlib import Path

import numpy as np
import pytest

from emulator.jit.launching import Setting, compile_cuda, graph_of, launch
from warpwright.emulator.counters.raw import MemoryCount
from warpwright.emulator.execution import Executor
from warpwright.emulator.flow import KernelGraph
from warpwright.emulator.interp import Interpreter
from warpwright.emulator.jit.executor import Jit
from warpwright.emulator.ptx.ir import Space

STRIDED = """
extern "C" __global__ void k(const float* a, float* b, int stride) {
    int i = threadIdx.x;
    b[i] = a[i * stride];
}
"""
BANKS = """
extern "C" __global__ void k(float* b, int stride) {
    __shared__ float s[1024];
    int i = threadIdx.x;
    s[i * stride] = 1.0f;
    __syncthreads();
    b[i] = s[i * stride];
}
"""
WIDE = """
extern "C" __global__ void k(const float4* a, float4* b) {
    __shared__ float4 s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[31 - threadIdx.x];
}
"""
ATOMIC = """
extern "C" __global__ void k(unsigned* a, int spread) { atomicAdd(a + threadIdx.x % spread, 1u); }
"""


@pytest.fixture(params=["interp", "jit"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def executor(kind: str, graph: KernelGraph, cache: Path | None = None) -> Executor:
    return Interpreter(graph) if kind == "interp" else Jit(graph, cache)


def rows(graph: KernelGraph, memory: np.ndarray, space: str, opcode: str) -> list[list[int]]:
    """Counts of the instructions of one space and opcode."""
    return [
        [int(v) for v in memory[index]]
        for index, node in enumerate(graph.memory_instructions)
        if node.instruction.opcode == opcode and Space(space).value in node.instruction.modifiers
    ]


@pytest.mark.parametrize(
    ("stride", "sectors", "lines"), [(1, 4, 1), (2, 8, 2), (4, 16, 4), (8, 32, 8), (32, 32, 32), (0, 1, 1)]
)
def test_sectors_and_lines_of_strided_loads(kind: str, stride: int, sectors: int, lines: int) -> None:
    graph = graph_of(compile_cuda(STRIDED))
    a = np.arange(32 * max(stride, 1), dtype=np.float32)
    done = launch(executor(kind, graph), graph, [a, np.zeros(32, np.float32), stride])
    assert np.array_equal(done.arrays[1], a[np.arange(32) * stride])
    (row,) = rows(graph, done.report.counts.memory, "global", "ld")
    assert row[:5] == [1, 32, sectors, lines, max(lines, -(-sectors // 4))]


@pytest.mark.parametrize(("stride", "ways"), [(1, 1), (2, 2), (4, 4), (8, 8), (32, 32), (3, 1), (0, 1)])
def test_bank_conflicts(kind: str, stride: int, ways: int) -> None:
    graph = graph_of(compile_cuda(BANKS))
    done = launch(executor(kind, graph), graph, [np.zeros(32, np.float32), stride])
    for opcode in ("st", "ld"):
        (row,) = rows(graph, done.report.counts.memory, "shared", opcode)
        assert row[MemoryCount.WAVEFRONTS] == ways
        assert row[MemoryCount.CONFLICTS] == ways - 1
    assert done.report.counts.barriers == 1


def test_vector_accesses(kind: str) -> None:
    graph = graph_of(compile_cuda(WIDE))
    a = np.arange(128, dtype=np.float32)
    done = launch(executor(kind, graph), graph, [a, np.zeros(128, np.float32)])
    assert np.array_equal(done.arrays[1].reshape(32, 4), a.reshape(32, 4)[::-1])
    (load,) = rows(graph, done.report.counts.memory, "global", "ld")
    assert load[:5] == [1, 32, 16, 4, 4]
    (shared,) = rows(graph, done.report.counts.memory, "shared", "ld")
    assert shared[MemoryCount.WAVEFRONTS] == 4  # 512 bytes, four phases of eight lanes, no conflict
    assert shared[MemoryCount.CONFLICTS] == 0


@pytest.mark.parametrize("spread", [1, 4, 32])
def test_atomics_that_meet(kind: str, spread: int) -> None:
    graph = graph_of(compile_cuda(ATOMIC))
    done = launch(executor(kind, graph), graph, [np.zeros(32, np.uint32), spread])
    assert done.arrays[0][:spread].tolist() == [32 // spread] * spread
    total = done.report.counts.memory.sum(axis=0)
    assert total[MemoryCount.SERIAL] == 32 // spread


def test_lanes_and_warps_of_diverged_code(kind: str) -> None:
    source = """
    extern "C" __global__ void k(float* b) {
        int i = threadIdx.x;
        if (i < 10) b[i] = sqrtf((float)i); else if (i < 40) b[i] = 2.0f * i;
    }
    """
    graph = graph_of(compile_cuda(source))
    done = launch(executor(kind, graph), graph, [np.full(48, -1, np.float32)], Setting(block=(48, 1, 1)))
    want = [float(np.sqrt(np.float32(i))) if i < 10 else 2.0 * i if i < 40 else -1.0 for i in range(48)]
    assert done.arrays[0].tolist() == want
    counts = done.report.counts
    assert counts.block_warps[0] == 2
    assert counts.block_lanes[0] == 48
    stores = [row for row in rows(graph, counts.memory, "global", "st") if row[MemoryCount.REQUESTS]]
    assert sum(row[MemoryCount.LANES] for row in stores) == 40
