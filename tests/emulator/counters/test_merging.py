import pytest

from warpwright.emulator.counters.merging import merged_loads
from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ptx import parse
from warpwright.emulator.ptx.ir import Instruction

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
.shared .align 4 .b8 tile[4096];
.reg .b32 %r<99>; .reg .f32 %f<99>;
"""
LOADS = "".join(f"ld.shared.f32 %f{i}, [%r9+{4 * i}];" for i in range(8))


def graph_of(body: str) -> KernelGraph:
    nodes: list[Node] = []
    memory: list[Node] = []
    for statement in parse(f"{HEAD}{body}\n}}").functions["k"].body:
        assert isinstance(statement, Instruction)
        bound = TABLE.bind(statement)
        assert bound is not None
        touches = statement.opcode in ("ld", "st")
        nodes.append(Node(statement, bound, len(memory) if touches else None))
        memory += [nodes[-1]] if touches else []
    block = BasicBlock(tuple(nodes), (), frozenset(), frozenset())
    return KernelGraph("k", (), 0, {}, (block,), tuple(memory), {}, 4096, {}, 0, {})


@pytest.mark.parametrize(
    ("address", "sizes"),
    [
        ("shl.b32 %r1, %r2, 6; mov.u32 %r3, tile; add.s32 %r9, %r3, %r1;", [4] * 8),
        ("mov.u32 %r3, tile; mad.lo.s32 %r9, %r2, 132, %r3;", []),
        ("mov.u32 %r3, tile; mad.lo.s32 %r9, %r2, 136, %r3;", [2] * 8),
        ("mov.u32 %r9, tile;", [4] * 8),
    ],
    ids=["rows of 64 bytes", "rows of 132 bytes", "rows of 136 bytes", "the array itself"],
)
def test_aligned_neighbours_merge(address: str, sizes: list[int]) -> None:
    assert list(merged_loads(graph_of(address + LOADS)).values()) == sizes


def test_a_store_between_keeps_loads_apart() -> None:
    halves = LOADS.split(";")
    body = "mov.u32 %r9, tile;" + ";".join(halves[:2]) + ";st.shared.f32 [%r9+64], %f0;" + ";".join(halves[2:4]) + ";"
    assert list(merged_loads(graph_of(body)).values()) == [2, 2, 2, 2]


def test_a_gap_leaves_the_rest_alone() -> None:
    body = "mov.u32 %r9, tile;" + "".join(f"ld.shared.f32 %f{i}, [%r9+{4 * i}];" for i in (0, 1, 3))
    assert merged_loads(graph_of(body)) == {0: 2, 1: 2}
