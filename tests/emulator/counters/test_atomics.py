import numpy as np
import pytest

from warpwright.emulator.counters.atomics import INTEGER_STEP, hottest_line, shared_atomic_cycles
from warpwright.emulator.counters.raw import MemoryCount
from warpwright.emulator.counters.trace import Trace
from warpwright.emulator.execution import TRACE_DTYPE
from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node
from warpwright.emulator.memory.arena import BASE_ADDRESS
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ptx import parse
from warpwright.emulator.ptx.ir import Instruction

KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
.reg .b64 %d<9>; .reg .f32 %f<9>; .reg .b32 %r<9>;
atom.global.add.f32 %f1, [%d1], %f2;
atom.global.add.u32 %r1, [%d1], 1;
ld.global.f32 %f3, [%d1];
atom.shared.add.u32 %r1, [%r2], 1;
atom.shared.add.u32 %r1, [%r2], %r3;
atom.shared.add.f32 %f1, [%r2], %f2;
}"""
FLOAT, INTEGER, LOAD, SHARED_UNIT, SHARED_INTEGER, SHARED_FLOAT = range(6)


@pytest.fixture(scope="module")
def graph() -> KernelGraph:
    nodes: list[Node] = []
    for statement in parse(KERNEL).functions["k"].body:
        assert isinstance(statement, Instruction)
        bound = TABLE.bind(statement)
        assert bound is not None
        nodes.append(Node(statement, bound, len(nodes)))
    block = BasicBlock(tuple(nodes), (), frozenset(), frozenset())
    return KernelGraph("k", (), 0, {}, (block,), tuple(nodes), {}, 0, {}, 0, {})


def requests(instruction: int, offsets: list[list[int]]) -> Trace:
    trace = np.zeros(len(offsets), TRACE_DTYPE)
    for row, lanes in enumerate(offsets):
        trace[row] = (0, 0, instruction, 0xFFFFFFFF, 4, 0)
        trace[row]["address"] = [BASE_ADDRESS + offset for offset in lanes]
    return trace


ONE_CELL = [[0] * 32]
ONE_LINE = [[4 * lane for lane in range(32)]]


@pytest.mark.parametrize(
    ("instruction", "offsets", "steps"),
    [
        (FLOAT, ONE_CELL, 32),
        (INTEGER, ONE_CELL, 32 * INTEGER_STEP),
        (FLOAT, ONE_LINE, 4),
        (FLOAT, [[128 * lane for lane in range(32)]], 1),
        (FLOAT, ONE_CELL * 3 + [[1024] * 32], 96),
    ],
    ids=["one cell", "one cell, integers", "one line", "a line a lane", "the busiest counts"],
)
def test_steps_on_the_busiest_line(
    graph: KernelGraph, instruction: int, offsets: list[list[int]], steps: float
) -> None:
    assert hottest_line(graph, [requests(instruction, offsets)], 1, 1.0) == pytest.approx(steps)


def test_a_line_that_several_blocks_use_is_used_by_all(graph: KernelGraph) -> None:
    shared = [requests(FLOAT, ONE_CELL), requests(FLOAT, ONE_CELL)]
    assert hottest_line(graph, shared, 1000, 1.0) == 32_000
    own = [requests(FLOAT, ONE_CELL), requests(FLOAT, [[4096] * 32])]
    assert hottest_line(graph, own, 1000, 1.0) == 32


def test_without_atomics_there_is_no_busiest_line(graph: KernelGraph) -> None:
    assert hottest_line(graph, [requests(LOAD, ONE_CELL)], 1000, 1.0) is None


def test_counting_in_shared_memory_is_cheap_and_float_sums_are_not(graph: KernelGraph) -> None:
    counts = np.zeros(len(MemoryCount))
    counts[MemoryCount.WAVEFRONTS], counts[MemoryCount.SERIAL] = 1.0, 32.0
    cycles = [
        shared_atomic_cycles(graph.memory_instructions[i], counts) for i in (SHARED_UNIT, SHARED_INTEGER, SHARED_FLOAT)
    ]
    assert cycles[0] == 1.0
    assert cycles[0] < cycles[1] < cycles[2]
