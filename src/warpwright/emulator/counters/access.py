"""What a memory instruction does, in the words of `MemoryTraffic`."""

from warpwright.emulator.flow.graph import Node
from warpwright.emulator.ops import access
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Immediate

_ACCESS = {
    Effect.LOAD: "load",
    Effect.STORE: "store",
    Effect.ATOMIC: "atomic",
    Effect.REDUCTION: "atomic",
    Effect.ASYNC_COPY: "load",
}


def access_of(node: Node) -> str:
    """`load`, `store` or `atomic`."""
    return _ACCESS[node.bound.operation.effect]


def bytes_per_lane(node: Node) -> int:
    """Bytes that one lane moves."""
    if node.bound.operation.effect is Effect.ASYNC_COPY:
        size = node.instruction.operands[2]
        return size.bits if isinstance(size, Immediate) else 4
    return access.access_of(node.bound, node.instruction).bytes_per_lane
