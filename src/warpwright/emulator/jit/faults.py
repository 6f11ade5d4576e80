"""A fault that generated code recorded, in the words of the emulator: the same as the interpreter's."""

from warpwright.emulator.execution import Run
from warpwright.emulator.flow.graph import KernelGraph
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
    source, ptx_line = node.instruction.source, node.instruction.ptx_line
    block, thread = _block_of(context), _thread_of(context, run)
    if code in _CONTROL:
        kind = _CONTROL[code]
        return Fault(kind, control_message(kind), source, ptx_line, block, thread)
    writes = node.bound.operation.effect is not Effect.LOAD
    bounds = FaultKind.OOB_WRITE if writes else FaultKind.OOB_READ
    kind = FaultKind.MISALIGNED if code is FaultCode.MISALIGNED else bounds
    space = _SPACES[SpaceCode(context.fault_space)]
    message, allocation = access_message(kind, context.fault_address, context.fault_bytes, space, run.arena)
    return Fault(kind, message, source, ptx_line, block, thread, context.fault_address, allocation)


def _block_of(context: Context) -> Dim3:
    return (context.ctaid_x, context.ctaid_y, context.ctaid_z)


def _thread_of(context: Context, run: Run) -> Dim3:
    linear = context.fault_warp * WARP + context.fault_lane
    width, height, _ = run.block
    return (linear % width, linear // width % height, linear // (width * height))
