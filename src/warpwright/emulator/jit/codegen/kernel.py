"""A kernel as LLVM IR: one function that runs one warp from basic block to basic block until it has to wait or ends."""

import ctypes

from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.flow.refusal import refuse
from warpwright.emulator.jit.codegen.blocks import FAULT_LABEL, Block
from warpwright.emulator.jit.codegen.control import Control
from warpwright.emulator.jit.codegen.emitter import WARP, Emitter
from warpwright.emulator.jit.codegen.endings import Endings
from warpwright.emulator.jit.codegen.layout import Layout
from warpwright.emulator.jit.codegen.target import HostCpu
from warpwright.emulator.jit.context import Context, State, WarpHeader, offset
from warpwright.errors import UnsupportedInstruction

ENTRY = "ww_step"
"""Name of the function."""

_SCRATCH_BYTES = {"a": 8 * WARP, "b": 8 * WARP, "c": 8 * WARP, "addresses": 8 * WARP, "data": 8 * 8 * WARP}
"""Stack areas by which vectors go to the runtime and come back; `data` holds up to 8 parts."""


def kernel_text(graph: KernelGraph, layout: Layout, cpu: HostCpu) -> str:
    """The whole module, without its target.

    Raises: UnsupportedInstruction, naming the source line, for what the emulator does not execute.
    """
    emitter = Emitter()
    control = Control(graph, layout, emitter)
    _prologue(emitter, layout)
    control.dispatch()
    emitter.begin(FAULT_LABEL)
    emitter.line(f"ret i32 {State.FAULT.value}")
    endings, first_node = Endings(control), 0
    for number, basic_block in enumerate(graph.blocks):
        block = Block(graph, layout, emitter, cpu, number)
        _write_block(block, endings, first_node)
        first_node += len(basic_block.nodes)
    body = "\n".join(emitter.lines)
    declarations = "\n".join(emitter.declarations.values())
    head = f"define i32 @{ENTRY}(ptr noalias %context, ptr noalias %warp) {cpu.attributes} {{"
    return f"{declarations}\n{head}\n{body}\n}}\n"


def _write_block(block: Block, endings: Endings, first_node: int) -> None:
    """Instructions and end of a basic block whose first instruction has that number in the kernel."""
    block.count()
    nodes = block.graph.blocks[block.number].nodes
    for place, node in enumerate(nodes):
        try:
            if endings.handles(node):
                endings.write(block, node, first_node + place)
                return
            block.execute(node)
        except UnsupportedInstruction as problem:
            raise refuse(node.instruction, f"{node.instruction.full_opcode} with {problem}") from problem
    endings.write(block, None, first_node + max(len(nodes) - 1, 0))


def _prologue(emitter: Emitter, layout: Layout) -> None:
    """Addresses that every block uses."""
    emitter.begin("entry")
    emitter.line("%mask = alloca i32")
    for name, size in _SCRATCH_BYTES.items():
        emitter.line(f"%scratch.{name} = alloca [{size} x i8], align 256")
    for name, field in (("%bias", "bias"), ("%shared.base", "shared"), ("%shared.bytes", "shared_bytes")):
        emitter.line(f"{name} = load i64, ptr {emitter.address('%context', offset(Context, field))}")
    for name, field in (("%sites", "sites"), ("%executions", "executions"), ("%parameters", "parameters")):
        emitter.line(f"{name} = load ptr, ptr {emitter.address('%context', offset(Context, field))}")
    index = emitter.load("i32", "%warp", offset(WarpHeader, "index"))
    distance = emitter.assign(f"mul i32 {index}, {3 * 4 * WARP}")
    table = emitter.load("ptr", "%context", offset(Context, "thread_ids"))
    emitter.line(f"%tids = getelementptr i8, ptr {table}, i32 {distance}")
    emitter.line(f"%ready = getelementptr i8, ptr %warp, i64 {ctypes.sizeof(WarpHeader)}")
    emitter.line(f"%pending = getelementptr i8, ptr %warp, i64 {layout.pending_offset}")
    emitter.jump("dispatch")
