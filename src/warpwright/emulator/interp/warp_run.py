"""Runs one warp: the lowest basic block with pending lanes, instruction by instruction, until it parks, ends or gives way."""

from typing import Protocol

import numpy as np

from warpwright.emulator.counters.raw import RawCounts
from warpwright.emulator.execution import Run
from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.flow.loops import SPIN_LIMIT
from warpwright.emulator.interp.array_builder import WARP
from warpwright.emulator.interp.barriers import ENDS_BLOCK
from warpwright.emulator.interp.faults import Halted, Place, access_fault, control_fault
from warpwright.emulator.interp.memory import Spaces
from warpwright.emulator.interp.operands import WarpView
from warpwright.emulator.interp.requests import Requests, Trace
from warpwright.emulator.interp.state import Block, Mask, Waiting, Warp
from warpwright.emulator.memory.fault import FaultKind
from warpwright.emulator.ops.access import access_of, barrier_of
from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.operands import input_operands, result_operands, sign_extends
from warpwright.emulator.ops.table import Effect

_MEMORY = frozenset({Effect.LOAD, Effect.STORE, Effect.ATOMIC, Effect.REDUCTION})


class Session(Protocol):
    """What a warp needs of the run around it."""

    graph: KernelGraph
    settings: Run
    counts: RawCounts
    trace: Trace
    left: int
    barriers: int
    waiting: frozenset[tuple[int, int]]

    def clock(self) -> int:
        """Warp instructions so far."""
        ...

    def position(self, block: int, node: int) -> int:
        """Number of an instruction in the kernel."""
        ...


class WarpRun:
    """One warp of one block."""

    def __init__(self, session: Session, block: Block, warp: Warp) -> None:
        self._session = session
        self._block = block
        self._warp = warp
        graph, run = session.graph, session.settings
        self._view = WarpView(graph, run, block, warp, session.clock)
        spaces = Spaces(run, block)
        self._requests = Requests(self._view, spaces, session.counts, session.trace, run.trace_requests)
        self._parameters = {parameter.name: parameter.offset for parameter in graph.parameters}

    def advance(self) -> None:
        """Run until no lane can go on, or until a waiting loop has had its turns. Raises: Halted."""
        warp, start = self._warp, 0
        while warp.pending:
            number = min((n for n in warp.pending if n >= start), default=min(warp.pending))
            start = 0
            back = self._execute(number, warp.pending.pop(number))
            if back is None:
                continue
            warp.turns = 0
            if len(warp.pending) == 1:
                return  # nobody else in the warp: the other warps' turn
            start = back + 1

    def _execute(self, number: int, mask: Mask) -> int | None:
        """One basic block. Gives the target of a waiting loop whose turns are used up, else None."""
        session, block = self._session, self._session.graph.blocks[number]
        session.counts.block_warps[number] += 1
        session.counts.block_lanes[number] += int(np.count_nonzero(mask))
        session.left -= len(block.nodes)
        for place, node in enumerate(block.nodes):
            if node.bound.operation.effect in ENDS_BLOCK:
                return self._end(number, node, mask, session.position(number, place))
            active = self._active(node, mask)
            self._view.builder.mask = active
            if active.any() or node.bound.operation.effect is Effect.PURE:
                self._perform(node, active)
        return self._go(number, block.successors[-1], mask, block.nodes[-1]) if block.successors else None

    def _active(self, node: Node, mask: Mask) -> Mask:
        guard = node.instruction.guard
        return mask if guard is None else self._view.guard(mask, guard.register, negated=guard.negated)

    def _perform(self, node: Node, active: Mask) -> None:
        effect, instruction = node.bound.operation.effect, node.instruction
        if effect is Effect.PURE:
            kinds = node.bound.operation.signature(node.bound.form).inputs
            operands = input_operands(instruction)
            inputs = [self._view.read(o, kind) for o, kind in zip(operands, kinds, strict=True)]
            results = node.bound.evaluate(self._view.builder, *inputs)
            sign = sign_extends(node.bound)
            for operand, value in zip(result_operands(instruction), results, strict=False):
                self._view.write(operand, value, active, sign=sign)
        elif effect in _MEMORY and node.memory_index is None:
            self._requests.parameter(node, self._session.settings.parameters, self._parameters, active)
        elif effect in _MEMORY:
            refused = self._requests.perform(node, self._block, self._warp, active)
            if refused is not None:
                size = access_of(node.bound, instruction).bytes_per_lane
                place = self._place(node, refused.lane)
                raise Halted(access_fault(refused, size, self._session.settings.arena, place))

    def _end(self, number: int, node: Node, mask: Mask, position: int) -> int | None:
        effect, successors = node.bound.operation.effect, self._session.graph.blocks[number].successors
        taken = self._active(node, mask)
        if effect is Effect.BRANCH_TABLE:
            self._table(number, node, mask)
            return None
        if effect is Effect.BRANCH:
            if not (mask & ~taken).any() or len(set(successors)) == 1:
                return self._go(number, successors[0], mask, node)
            if not taken.any():
                return self._go(number, successors[1], mask, node)
            self._check_budget(number, successors, (node, mask))
            for target, lanes in ((successors[0], taken), (successors[1], mask & ~taken)):
                self._make_ready(target, lanes)
            return None
        if effect is Effect.BARRIER:
            taken = self._barrier(node, taken, position, successors)
        elif effect is Effect.TRAP and taken.any():
            raise Halted(control_fault(FaultKind.TRAP, self._place(node, int(np.flatnonzero(taken)[0]))))
        rest = mask if effect is Effect.TRAP else mask & ~taken
        return self._go(number, successors[-1], rest, node) if rest.any() and successors else None

    def _table(self, number: int, node: Node, mask: Mask) -> None:
        index = self._view.read(node.instruction.operands[0], LaneType.I32)
        successors = self._session.graph.blocks[number].successors
        self._check_budget(number, successors, (node, mask))
        for place, target in enumerate(successors):
            lanes = mask & (index == place)
            if lanes.any():
                self._make_ready(target, lanes)

    def _barrier(self, node: Node, lanes: Mask, position: int, successors: tuple[int, ...]) -> Mask:
        """Park lanes at a barrier; the lanes that stay behind. `bar.arrive` only announces the warp."""
        if not lanes.any():
            return lanes
        self._session.barriers += 1
        use = barrier_of(node.bound, node.instruction)
        first = int(np.flatnonzero(lanes)[0])
        number = int(self._view.read(use.number, LaneType.I32)[first]) & 15
        if not use.waits:
            self._block.arrived[number] = self._block.arrived.get(number, 0) + WARP
            return np.zeros_like(lanes)
        threads = 0 if use.threads is None else int(self._view.read(use.threads, LaneType.I32)[first])
        votes = lanes if use.predicate is None else self._view.read(use.predicate, LaneType.I1) & lanes
        before = self._warp.waiting
        if before is not None and before.node != position:
            raise Halted(control_fault(FaultKind.BARRIER_DIVERGENCE, self._place(node, first)))
        if before is not None:
            lanes_all, votes = before.lanes | lanes, before.votes | votes
        else:
            lanes_all = lanes
        self._warp.waiting = Waiting(use, number, threads, position, successors[-1], lanes_all, votes)
        return lanes

    def _go(self, source: int, target: int, mask: Mask, node: Node) -> int | None:
        self._make_ready(target, mask)
        if target > source:
            return None
        self._check_budget(source, (target,), (node, mask))
        if (source, target) not in self._session.waiting:
            return None
        self._warp.turns += 1
        return target if self._warp.turns > SPIN_LIMIT else None

    def _make_ready(self, target: int, lanes: Mask) -> None:
        pending = self._warp.pending
        pending[target] = pending[target] | lanes if target in pending else lanes.copy()

    def _check_budget(self, source: int, targets: tuple[int, ...], at: tuple[Node, Mask]) -> None:
        if self._session.left >= 0 or all(target > source for target in targets):
            return
        waits = any(edge[0] == source for edge in self._session.waiting)
        node, mask = at
        kind = FaultKind.DEADLOCK if waits else FaultKind.BUDGET
        raise Halted(control_fault(kind, self._place(node, int(np.flatnonzero(mask)[0]))))

    def _place(self, node: Node, lane: int) -> Place:
        x, y, z = (int(ids[lane]) for ids in self._warp.thread_ids)
        return Place(node, self._block.index, (x, y, z))
