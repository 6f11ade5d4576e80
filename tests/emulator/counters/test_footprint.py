"""Footprints of access patterns whose traffic is known from Nsight Compute on an H200 (`benchmarks/cost_model/data`)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from warpwright.emulator.counters.footprint import Residency, footprint
from warpwright.emulator.counters.profile import Footprint
from warpwright.emulator.counters.trace import Trace
from warpwright.emulator.execution import TRACE_DTYPE
from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ptx import parse
from warpwright.emulator.ptx.ir import Instruction
from warpwright.hardware import load_gpu

H200 = load_gpu("h200")
MB = 1e6
Addresses = np.ndarray[Any, np.dtype[np.uint64]]
Pattern = Callable[[int, int, int], list[tuple[int, Addresses]]]
"""(block, source, target) -> for each warp-level request: 0 load, 1 store, and the lanes' addresses."""


def copy_graph() -> KernelGraph:
    text = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k() { .reg .b64 %d<9>; .reg .f32 %f<9>; ld.global.f32 %f1,[%d1]; st.global.f32 [%d2],%f1; }"""
    nodes: list[Node] = []
    for statement in parse(text).functions["k"].body:
        assert isinstance(statement, Instruction)
        bound = TABLE.bind(statement)
        assert bound is not None
        nodes.append(Node(statement, bound, len(nodes)))
    block = BasicBlock(tuple(nodes), (), frozenset(), frozenset())
    return KernelGraph("k", (), 0, {}, (block,), tuple(nodes), {}, 0, {}, 0, {})


def footprint_of(grid: tuple[int, int], per_sm: int, size_bytes: int, pattern: Pattern, warps: int) -> Footprint:
    arena = Arena(Arena.capacity_for([size_bytes, size_bytes]))
    source, target = (arena.allocate(name, size_bytes).address for name in ("source", "target"))
    blocks, first = grid[0] * grid[1], grid[0] * grid[1] // 2
    traces: list[Trace] = []
    for index in range(per_sm):
        requests = pattern(first + 132 * index, source, target)
        trace = np.zeros(len(requests), TRACE_DTYPE)
        trace["memory_index"] = [kind for kind, _ in requests]
        trace["mask"], trace["size"] = 0xFFFFFFFF, 4
        trace["warp"] = np.arange(len(requests)) // (len(requests) // warps)
        trace["address"] = np.stack([lanes for _, lanes in requests])
        traces.append(trace)
    residency = Residency(
        grid_blocks=blocks,
        row_blocks=grid[0] if grid[1] > 1 else 1,
        resident_blocks=min(blocks, 132 * per_sm),
        blocks_per_sm=per_sm,
        traced_blocks=per_sm,
        span_blocks=132 * (per_sm - 1) + 1,
        request_ratio=1.0,
        warp_ratio=1.0,
        l1_bytes=float(H200.memory.l1_bytes),
        l2_bytes=float(H200.memory.l2_bytes),
        granule_bytes=64,
    )
    return footprint(copy_graph(), traces, arena.allocations, residency)[0]


def transpose(width: int, height: int) -> Pattern:
    size = 8192

    def requests(block: int, source: int, target: int) -> list[tuple[int, Addresses]]:
        found: list[tuple[int, Addresses]] = []
        for warp in range(width * height // 32):
            thread = warp * 32 + np.arange(32)
            column = block % (size // width) * width + thread % width
            row = block // (size // width) * height + thread // width
            found.append((0, (source + 4 * (row * size + column)).astype(np.uint64)))
            found.append((1, (target + 4 * (column * size + row)).astype(np.uint64)))
        return found

    return requests


@pytest.mark.parametrize(
    ("width", "height", "l2_sectors"),
    [(16, 16, 39.5e6), (32, 8, 75.5e6), (8, 32, 24.4e6)],
    ids=["16x16", "32x8", "8x32"],
)
def test_direct_transposes(width: int, height: int, l2_sectors: float) -> None:
    grid = (8192 // width, 8192 // height)
    found = footprint_of(grid, 8, 4 << 26, transpose(width, height), width * height // 32)
    assert found.l1_miss_ratio == 1.0
    assert found.l2_sectors == pytest.approx(l2_sectors, rel=0.08)
    assert found.dram_read_bytes == pytest.approx(268 * MB, rel=0.05)
    assert found.dram_write_bytes == pytest.approx(268 * MB, rel=0.05)


def rows_three_times(threads: int) -> Pattern:
    columns = 4096

    def requests(block: int, source: int, target: int) -> list[tuple[int, Addresses]]:
        found: list[tuple[int, Addresses]] = []
        for warp in range(threads // 32):
            for last in (False, False, True):
                for start in range(warp * 32, columns, threads):
                    offset = 4 * (block * columns + start + np.arange(32))
                    found.append((0, (source + offset).astype(np.uint64)))
                    if last:
                        found.append((1, (target + offset).astype(np.uint64)))
        return found

    return requests


@pytest.mark.parametrize(
    ("threads", "per_sm", "l1_miss_ratio", "dram_read_bytes"),
    [(64, 32, 1.0, 402 * MB), (1024, 2, 0.33, 134 * MB)],
    ids=["rows that neither L1 nor L2 can hold", "rows that L1 can"],
)
def test_rows_read_three_times(threads: int, per_sm: int, l1_miss_ratio: float, dram_read_bytes: float) -> None:
    found = footprint_of((8192, 1), per_sm, 4 * 8192 * 4096, rows_three_times(threads), threads // 32)
    assert found.l1_miss_ratio == pytest.approx(l1_miss_ratio, abs=0.02)
    assert found.dram_read_bytes == pytest.approx(dram_read_bytes, rel=0.05)


def strided(stride: int) -> Pattern:
    elements = 1 << 25

    def requests(block: int, source: int, target: int) -> list[tuple[int, Addresses]]:
        found: list[tuple[int, Addresses]] = []
        for warp in range(8):
            place = (block * 256 + warp * 32 + np.arange(32)) * stride % elements
            found.append((0, (source + 4 * place).astype(np.uint64)))
            found.append((1, (target + 4 * place).astype(np.uint64)))
        return found

    return requests


def test_a_stride_that_wraps_around_moves_granules_again_and_again() -> None:
    near, far = (footprint_of((131072, 1), 8, 4 << 25, strided(stride), 8) for stride in (1, 32))
    assert near.dram_read_bytes == pytest.approx(134 * MB, rel=0.02)
    assert far.dram_read_bytes is not None
    assert far.dram_read_bytes > 5 * 134 * MB
    assert far.unique_bytes == pytest.approx(2 * 134 * MB, rel=0.02)
