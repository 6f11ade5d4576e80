"""A fault that generated code recorded, as the interpreter would report it."""

from warpwright.emulator.execution import Run
from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.jit.codegen.emitter import WARP
from warpwright.emulator.jit.codegen.layout import nodes_in_order
from warpwright.emulator.jit.context import Context, FaultCode
from warpwright.emulator.jit.machine import Machine
from warpwright.emulator.memory.fault import Fault, FaultKind

Dim3 = tuple[int, int, int]

_KINDS = {
    FaultCode.MISALIGNED: FaultKind.MISALIGNED,
    FaultCode.TRAP: FaultKind.TRAP,
    FaultCode.BARRIER: FaultKind.BARRIER_DIVERGENCE,
    FaultCode.DEADLOCK: FaultKind.DEADLOCK,
    FaultCode.BUDGET: FaultKind.BUDGET,
}


def fault_of(graph: KernelGraph, machine: Machine, run: Run) -> Fault:
    """The recorded fault."""
    context = machine.context
    code = FaultCode(context.fault_kind)
    node = nodes_in_order(graph)[context.fault_node]
    kind = _KINDS.get(code, FaultKind.OOB_READ)
    return Fault(
        kind, str(code), node.instruction.source, node.instruction.ptx_line, block_of(context), thread_of(context, run)
    )


def block_of(context: Context) -> Dim3:
    """Index of the faulting block in the grid."""
    return (context.ctaid_x, context.ctaid_y, context.ctaid_z)


def thread_of(context: Context, run: Run) -> Dim3:
    """Index of the faulting thread in its block."""
    linear = context.fault_warp * WARP + context.fault_lane
    width, height, _ = run.block
    return (linear % width, linear // width % height, linear // (width * height))
