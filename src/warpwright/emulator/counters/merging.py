"""Scalar shared-memory loads that ptxas makes into one: neighbours from one base register, in one basic block, aligned.

PTX keeps 16 `ld.shared.f32`, SASS has 4 LDS.128; without this, tiled kernels are over-counted by a quarter (H200).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node
from warpwright.emulator.ops.access import access_of, space_of
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Immediate, Operand, Register, Space, Symbol

WIDEST_BYTES = 16
"""Of one shared-memory load."""

_DEEPEST = 12
"""Definitions followed back at most."""

_Definitions = Mapping[str, list[Node]]


def merged_loads(graph: KernelGraph) -> dict[int, int]:
    """Memory instruction -> how many loads ptxas is taken to merge with it, itself included; others are missing."""
    definitions: dict[str, list[Node]] = defaultdict(list)
    for block in graph.blocks:
        for node in block.nodes:
            if node.instruction.operands and isinstance(node.instruction.operands[0], Register):
                definitions[node.instruction.operands[0].name].append(node)
    merged: dict[int, int] = {}
    for block in graph.blocks:
        for loads in _groups(block):
            merged.update(_runs(loads, definitions))
    return merged


def _groups(block: BasicBlock) -> Iterable[list[tuple[int, int, Node]]]:
    """(offset, size, node) of scalar shared loads by base register; a store or barrier to shared memory ends a group."""
    groups: dict[str, list[tuple[int, int, Node]]] = defaultdict(list)
    for node in block.nodes:
        effect = node.bound.operation.effect
        if effect in (Effect.STORE, Effect.ATOMIC, Effect.REDUCTION) and space_of(node.bound.form) is not Space.GLOBAL:
            yield from groups.values()
            groups = defaultdict(list)
        if effect is not Effect.LOAD or space_of(node.bound.form) is not Space.SHARED or node.instruction.guard:
            continue
        access = access_of(node.bound, node.instruction)
        if isinstance(access.address.base, Register) and len(access.elements) == 1:
            groups[access.address.base.name].append((access.address.offset, access.bytes_per_lane, node))
    yield from groups.values()


def _runs(loads: list[tuple[int, int, Node]], definitions: _Definitions) -> dict[int, int]:
    base = access_of(loads[0][2].bound, loads[0][2].instruction).address.base
    assert isinstance(base, Register)
    aligned = min(WIDEST_BYTES, _alignment(base, definitions, _DEEPEST))
    size = loads[0][1]
    by_offset = {offset: node for offset, bytes_per_lane, node in loads if bytes_per_lane == size}
    merged: dict[int, int] = {}
    width = aligned
    while width > size:
        for start in sorted(by_offset):
            parts = [by_offset.get(start + step) for step in range(0, width, size)]
            found = [node.memory_index for node in parts if node is not None and node.memory_index is not None]
            if start % width == 0 and len(found) == width // size and not set(found) & set(merged):
                merged.update(dict.fromkeys(found, width // size))
        width //= 2
    return merged


def _alignment(value: Operand, definitions: _Definitions, depth: int) -> int:
    """A power of two that divides a register's value wherever it is defined; 1 if nothing is known."""
    match value:
        case Immediate(bits, _):
            return min(WIDEST_BYTES, bits & -bits) if bits else WIDEST_BYTES
        case Symbol(_, offset):
            return min(WIDEST_BYTES, offset & -offset) if offset else WIDEST_BYTES
        case Register(name) if depth and definitions.get(name):
            return min(_defined_alignment(node, definitions, depth - 1) for node in definitions[name])
    return 1


def _defined_alignment(node: Node, definitions: _Definitions, depth: int) -> int:
    form, inputs = node.bound.form, node.instruction.operands[1:]
    known = [_alignment(operand, definitions, depth) for operand in inputs]
    divisor = 1
    if form.base in ("mov", "cvta", "cvt"):
        divisor = known[0]
    elif form.base in ("add", "sub", "or"):
        divisor = min(known)
    elif form.base == "shl" and isinstance(inputs[1], Immediate):
        divisor = known[0] << min(inputs[1].bits, 31)
    elif form.base == "mul":
        divisor = known[0] * known[1]
    elif form.base == "mad":
        divisor = min(known[0] * known[1], known[2])
    elif form.base == "and":
        divisor = max(known)
    return min(WIDEST_BYTES, divisor)
