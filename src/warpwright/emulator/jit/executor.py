"""The LLVM executor of one kernel: machine code from the cache or made now, then run as often as asked."""

import hashlib
from pathlib import Path

from warpwright.emulator.counters.raw import RawCounts
from warpwright.emulator.execution import Run, RunReport
from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node
from warpwright.emulator.jit import native
from warpwright.emulator.jit.cache import ObjectCache
from warpwright.emulator.jit.codegen.kernel import ENTRY, kernel_text
from warpwright.emulator.jit.codegen.layout import layout_of
from warpwright.emulator.jit.codegen.target import HostCpu
from warpwright.emulator.jit.faults import fault_of
from warpwright.emulator.jit.machine import Machine
from warpwright.emulator.jit.runtime_library import runtime
from warpwright.emulator.jit.sites import SiteTable


class Jit:
    """Executes one kernel as machine code.

    cache_directory: where the code is kept between processes; None = nowhere. cpu: what to generate code for; None =
    this CPU. Raises: UnsupportedInstruction for PTX that is not emulated.
    """

    def __init__(self, graph: KernelGraph, cache_directory: Path | None = None, cpu: HostCpu | None = None) -> None:
        self._graph = graph
        self._layout = layout_of(graph)
        self._sites = SiteTable(graph)
        cpu = cpu or native.host_cpu()
        cache = ObjectCache(cache_directory, cpu)
        self._runtime = runtime(cache, cpu)
        key = cache.key("kernel", fingerprint(graph))
        object_file = cache.load(key)
        if object_file is None:
            object_file = native.compile_object(kernel_text(graph, self._layout, cpu), cpu, optimise=False)
            cache.save(key, object_file)
        self._loaded = native.Loaded(object_file, self._runtime.symbols)
        self._step = self._loaded.address(ENTRY)

    def run(self, run: Run) -> RunReport:
        """Execute the blocks; memory in the arena is changed in place."""
        machine = Machine(self._graph, self._layout, self._sites, run, self._step)
        failed = self._runtime.run(machine.address)
        fault = fault_of(self._graph, machine, run) if failed else None
        recorded = len(machine.trace) - int(machine.context.trace_left)
        return RunReport(self._counts(machine), fault, machine.trace[:recorded])

    def _counts(self, machine: Machine) -> RawCounts:
        warps, lanes = machine.executions.T.copy()
        return RawCounts(warps, lanes, self._sites.counts(machine.sites), int(machine.context.barriers))


def fingerprint(graph: KernelGraph) -> str:
    """A hash of everything that machine code depends on: not of source lines, names of files or initial values."""
    digest = hashlib.sha256()
    places = (graph.parameters, sorted(graph.registers.items()), sorted(graph.module_variables))
    offsets = (sorted(graph.shared_offsets.items()), sorted(graph.local_offsets.items()))
    digest.update(repr((places, offsets)).encode())
    for block in graph.blocks:
        digest.update(_block_text(block).encode())
    return digest.hexdigest()


def _block_text(block: BasicBlock) -> str:
    nodes = "\n".join(_node_text(node) for node in block.nodes)
    return f"{block.successors} {sorted(block.live_in)} {sorted(block.live_out)}\n{nodes}\n"


def _node_text(node: Node) -> str:
    instruction = node.instruction
    return f"{instruction.full_opcode} {instruction.operands} {instruction.guard} {node.memory_index}"
