"""What one execution of a basic block costs a lone warp: dependent arithmetic, and waits for memory.

A warp issues in order and stalls at the first use of a value that is still on its way. ptxas moves independent loads of a
basic block together, so loads that do not need each other's values wait once. A store, atomic or fence between two loads
keeps them apart unless the later one is read-only (`.nc`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from warpwright.emulator.counters.expansion import issue_slots
from warpwright.emulator.flow.graph import BasicBlock, Node
from warpwright.emulator.ops import access
from warpwright.emulator.ops.table import Effect, Pipe
from warpwright.emulator.ptx.ir import Address, Negated, Operand, Pair, Register, Space, Vector

ARITHMETIC_CYCLES = 4.2
"""Issue of an arithmetic instruction to issue of one that needs it. H200: 4.16 for a chain of FMAs (measured)."""

SFU_CYCLES = 18.0
"""The same through the special function unit. Source: micro-benchmarks of Volta to Hopper, 16 to 20."""

_RESULT_EFFECTS = frozenset({Effect.PURE, Effect.LOAD, Effect.ATOMIC})
_ORDERING_EFFECTS = frozenset({Effect.STORE, Effect.ATOMIC, Effect.REDUCTION, Effect.FENCE})
_FAR = frozenset({Space.GLOBAL, Space.GENERIC, Space.LOCAL})


@dataclass(frozen=True, slots=True)
class BlockCost:
    """Of one execution by one warp. global_loads, shared_loads: issued; waits: times it stalls for them."""

    cycles: float
    slots: float
    global_loads: int
    global_waits: int
    shared_waits: int


@dataclass(slots=True)
class _Depth:
    """How deep in chains a value lies."""

    cycles: float = 0.0
    global_waits: int = 0
    shared_waits: int = 0

    def join(self, other: "_Depth") -> None:
        self.cycles = max(self.cycles, other.cycles)
        self.global_waits = max(self.global_waits, other.global_waits)
        self.shared_waits = max(self.shared_waits, other.shared_waits)


def space_of(node: Node) -> Space:
    """Where a memory instruction goes; an asynchronous copy counts as a load from global memory."""
    if node.bound.operation.effect is Effect.ASYNC_COPY:
        return Space.GLOBAL
    return access.space_of(node.bound.form)


def is_far_load(node: Node) -> bool:
    """Whether a warp waits for data from L1 or beyond: a load, or an atomic that returns the old value."""
    return node.bound.operation.effect in (Effect.LOAD, Effect.ATOMIC) and space_of(node) in _FAR


def block_cost(block: BasicBlock) -> BlockCost:
    """Chains through one basic block, inputs taken as ready at its start."""
    depths: dict[str, _Depth] = {}
    total, after_store = _Depth(), _Depth()
    slots, loads = 0.0, 0
    for node in block.nodes:
        cost = issue_slots(node.bound)
        slots += cost
        depth = _input_depth(node, depths)
        effect = node.bound.operation.effect
        if effect is Effect.LOAD and "nc" not in node.instruction.modifiers:
            depth.global_waits = max(depth.global_waits, after_store.global_waits)
            depth.shared_waits = max(depth.shared_waits, after_store.shared_waits)
        loads += _advance(node, depth, cost)
        for register in _results(node):
            depths[register] = depth
        total.join(depth)
        if effect in _ORDERING_EFFECTS:
            after_store.join(total)
    return BlockCost(max(total.cycles, slots), slots, loads, total.global_waits, total.shared_waits)


def _advance(node: Node, depth: _Depth, slots: float) -> int:
    """Add a node's own latency to the depth of its inputs; 1 if it is a load from global memory."""
    effect, space = node.bound.operation.effect, space_of(node)
    if is_far_load(node):
        depth.global_waits += 1
        return 1
    if effect in (Effect.LOAD, Effect.ATOMIC) and space is Space.SHARED:
        depth.shared_waits += 1
        return 0
    if node.instruction.opcode in ("shfl", "vote", "match", "redux"):
        depth.shared_waits += 1
        return 0
    if effect is Effect.PURE and slots:
        own = SFU_CYCLES if node.bound.operation.pipe is Pipe.SFU else ARITHMETIC_CYCLES
        depth.cycles += own * max(1.0, slots / 2)  # a routine's own instructions are about two abreast
    return 0


def _input_depth(node: Node, depths: dict[str, _Depth]) -> _Depth:
    depth = _Depth()
    guard = node.instruction.guard
    names = [guard.register.name] if guard else []
    has_result = node.bound.operation.effect in _RESULT_EFFECTS
    for index, operand in enumerate(node.instruction.operands):
        if has_result and index == 0:
            continue
        names.extend(_registers(operand))
    for name in names:
        if name in depths:
            depth.join(depths[name])
    return depth


def _results(node: Node) -> Iterator[str]:
    if node.bound.operation.effect in _RESULT_EFFECTS and node.instruction.operands:
        yield from _registers(node.instruction.operands[0])


def _registers(operand: Operand) -> Iterator[str]:
    match operand:
        case Register(name):
            yield name
        case Negated(register):
            yield register.name
        case Address(base, _) if isinstance(base, Register):
            yield base.name
        case Vector(items):
            for item in items:
                yield from _registers(item)
        case Pair(first, second):
            yield from _registers(first)
            yield from _registers(second)
