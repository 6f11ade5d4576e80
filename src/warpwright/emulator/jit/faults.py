"""A fault that generated code recorded, as the interpreter would report it."""

from warpwright.emulator.execution import Run
from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.jit.codegen.emitter import WARP
from warpwright.emulator.jit.codegen.layout import nodes_in_order
from warpwright.emulator.jit.context import Context, FaultCode, SpaceCode
from warpwright.emulator.jit.machine import Machine
from warpwright.emulator.memory.fault import Fault, FaultKind
from warpwright.emulator.memory.wording import access_message, control_message
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Space

Dim3 = tuple[int, int, int]

_CONTROL = {
    FaultCode.TRAP: FaultKind.TRAP,
    FaultCode.BARRIER: FaultKind.BARRIER_DIVERGENCE,
    FaultCode.DEADLOCK: FaultKind.DEADLOCK,
    FaultCode.BUDGET: FaultKind.BUDGET,
}
_SPACES = {SpaceCode.GLOBAL: Space.GLOBAL, SpaceCode.SHARED: Space.SHARED, SpaceCode.LOCAL: Space.LOCAL}


def fault_of(graph: KernelGraph, machine: Machine, run: Run) -> Fault:
    """The recorded fault."""
    context = machine.context
    code = FaultCode(context.fault_kind)
    node = nodes_in_order(graph)[context.fault_node]
    source, line = node.instruction.source, node.instruction.ptx_line
    block, thread = block_of(context), thread_of(context, run)
    if code in _CONTROL:
        kind = _CONTROL[code]
        return Fault(kind, control_message(kind), source, line, block, thread)
    kind = _access_kind(code, node)
    address, space = int(context.fault_address), _SPACES[SpaceCode(context.fault_space)]
    message, allocation = access_message(kind, address, int(context.fault_bytes), space, run.arena)
    return Fault(kind, message, source, line, block, thread, address, allocation)


def _access_kind(code: FaultCode, node: Node) -> FaultKind:
    if code is FaultCode.MISALIGNED:
        return FaultKind.MISALIGNED
    return FaultKind.OOB_READ if node.bound.operation.effect is Effect.LOAD else FaultKind.OOB_WRITE


def block_of(context: Context) -> Dim3:
    """Index of the faulting block in the grid."""
    return (context.ctaid_x, context.ctaid_y, context.ctaid_z)


def thread_of(context: Context, run: Run) -> Dim3:
    """Index of the faulting thread in its block."""
    linear = context.fault_warp * WARP + context.fault_lane
    width, height, _ = run.block
    return (linear % width, linear // width % height, linear // (width * height))
