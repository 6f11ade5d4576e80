"""The NumPy executor: blocks one after another, the warps of a block in turn, always at the lowest basic block.

It is the definition of what a kernel does and counts; `jit` must agree with it bit for bit.
"""

import numpy as np

from warpwright.emulator.counters.raw import RawCounts
from warpwright.emulator.execution import TRACE_DTYPE, Run, RunReport
from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.flow.loops import waiting_edges
from warpwright.emulator.interp.barriers import DivergentBarrier, release
from warpwright.emulator.interp.faults import Halted, Place, control_fault
from warpwright.emulator.interp.requests import Trace
from warpwright.emulator.interp.state import Block, Warp, begin_block
from warpwright.emulator.interp.warp_run import WarpRun
from warpwright.emulator.memory.fault import Fault, FaultKind


class Interpreter:
    """Executes one kernel by its graph."""

    def __init__(self, graph: KernelGraph) -> None:
        self._graph = graph

    def run(self, run: Run) -> RunReport:
        """Execute the blocks; memory in the arena is changed in place."""
        session = _Session(self._graph, run)
        fault = None
        with np.errstate(all="ignore"):
            try:
                for identifier in run.blocks:
                    session.execute(begin_block(self._graph, run, int(identifier)))
            except Halted as halted:
                fault = halted.fault
        trace = np.array(session.trace, TRACE_DTYPE) if session.trace else np.zeros(0, TRACE_DTYPE)
        counts = session.counts
        return RunReport(
            RawCounts(counts.block_warps, counts.block_lanes, counts.memory, session.barriers), fault, trace
        )


class _Session:
    """One run: counts, trace and budget over all its blocks."""

    def __init__(self, graph: KernelGraph, run: Run) -> None:
        self.graph = graph
        self.settings = run
        self.counts = RawCounts.zeros(len(graph.blocks), len(graph.memory_instructions))
        self.trace: Trace = []
        self.left = run.budget
        self.barriers = 0
        self.waiting = waiting_edges(graph)
        self.first_node = np.cumsum([0, *(len(block.nodes) for block in graph.blocks)])

    def clock(self) -> int:
        """Warp instructions so far."""
        return self.settings.budget - self.left

    def execute(self, block: Block) -> None:
        """Rounds over the warps until all are done. Raises: Halted."""
        runs = [WarpRun(self, block, warp) for warp in block.warps]
        while not all(warp.done for warp in block.warps):
            for warp_run in runs:
                warp_run.advance()
            self._release(block)

    def _release(self, block: Block) -> None:
        if all(warp.done for warp in block.warps):
            return
        try:
            released = release(block)
        except DivergentBarrier as divergent:
            raise Halted(self._waiting_fault(FaultKind.BARRIER_DIVERGENCE, block, divergent.warp)) from None
        if not released and not any(warp.pending for warp in block.warps):
            stuck = next(warp for warp in block.warps if warp.waiting is not None)
            raise Halted(self._waiting_fault(FaultKind.DEADLOCK, block, stuck))

    def _waiting_fault(self, kind: FaultKind, block: Block, warp: Warp) -> Fault:
        assert warp.waiting is not None
        node = self.node(warp.waiting.node)
        lane = int(np.flatnonzero(warp.waiting.lanes)[0])
        return control_fault(kind, Place(node, block.index, thread_of(warp, lane)))

    def position(self, block: int, node: int) -> int:
        """Number of an instruction in the kernel."""
        return int(self.first_node[block]) + node

    def node(self, position: int) -> Node:
        """The instruction at a position of the kernel."""
        number = int(np.searchsorted(self.first_node, position, side="right")) - 1
        return self.graph.blocks[number].nodes[position - int(self.first_node[number])]


def thread_of(warp: Warp, lane: int) -> tuple[int, int, int]:
    """Index of a lane's thread in its block."""
    x, y, z = (int(ids[lane]) for ids in warp.thread_ids)
    return (x, y, z)
