import pytest

from warpwright.emulator.counters.dependence import ARITHMETIC_CYCLES, BlockCost, block_cost
from warpwright.emulator.counters.expansion import issue_slots
from warpwright.emulator.flow.graph import BasicBlock, Node
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ptx import parse
from warpwright.emulator.ptx.ir import Instruction

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
.reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %d<99>; .reg .f32 %f<99>;
"""


def nodes(body: str) -> tuple[Node, ...]:
    found = []
    for statement in parse(f"{HEAD}{body}\n}}").functions["k"].body:
        assert isinstance(statement, Instruction)
        bound = TABLE.bind(statement)
        assert bound is not None, statement
        found.append(Node(statement, bound))
    return tuple(found)


def cost(body: str) -> BlockCost:
    return block_cost(BasicBlock(nodes(body), (), frozenset(), frozenset()))


def test_independent_loads_wait_once() -> None:
    result = cost("ld.global.f32 %f1, [%d1]; add.f32 %f3, %f1, %f9; ld.global.f32 %f2, [%d1+4]; add.f32 %f3, %f3, %f2;")
    assert (result.global_loads, result.global_waits) == (2, 1)


def test_a_load_that_needs_another_waits_again() -> None:
    result = cost("ld.global.u64 %d2, [%d1]; add.s64 %d3, %d2, 8; ld.global.f32 %f2, [%d3];")
    assert (result.global_loads, result.global_waits) == (2, 2)


@pytest.mark.parametrize(("suffix", "waits"), [("", 2), (".nc", 1)], ids=["may alias", "read-only"])
def test_a_store_keeps_loads_apart_unless_they_are_read_only(suffix: str, waits: int) -> None:
    text = "ld.global{0}.f32 %f1, [%d1]; st.global.f32 [%d2], %f1; ld.global{0}.f32 %f2, [%d1+4]; st.global.f32 [%d2+4], %f2;"
    assert cost(text.format(suffix)).global_waits == waits


def test_shared_memory_and_shuffles_wait_apart_from_global_memory() -> None:
    result = cost("ld.shared.f32 %f1, [%r1]; shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1; ld.global.f32 %f2, [%d1];")
    assert (result.global_waits, result.shared_waits) == (1, 1)


def test_a_chain_of_arithmetic_takes_its_latencies() -> None:
    chain = "".join(f"fma.rn.f32 %f{i + 1}, %f{i}, %f90, %f91;" for i in range(10))
    assert cost(chain).cycles == pytest.approx(10 * ARITHMETIC_CYCLES)
    side_by_side = "".join(f"fma.rn.f32 %f{i + 1}, %f{i + 40}, %f90, %f91;" for i in range(10))
    assert cost(side_by_side).cycles == pytest.approx(10)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("mov.u32 %r1, %r2;", 0, 0),
        ("ld.param.u64 %d1, [k];", 0, 0),
        ("cvta.to.global.u64 %d1, %d2;", 0, 0),
        ("add.s32 %r1, %r2, %r3;", 1, 1),
        ("fma.rn.f32 %f1, %f2, %f3, %f4;", 1, 1),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];", 1, 1),
        ("div.rn.f32 %f1, %f2, %f3;", 8, 12),
        ("rem.s32 %r1, %r2, %r3;", 15, 30),
        ("rem.u64 %d1, %d2, %d3;", 60, 80),
        ("mul.lo.s64 %d1, %d2, %d3;", 3, 5),
        ("ex2.approx.ftz.f32 %f1, %f2;", 1, 1),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else None,
)
def test_issue_slots(text: str, least: float, most: float) -> None:
    (node,) = nodes(text)
    assert least <= issue_slots(node.bound) <= most
