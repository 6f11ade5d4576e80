"""How a basic block ends: branch, branch table, barrier, exit, trap, or falling through."""

from collections.abc import Callable

from warpwright.emulator.flow.graph import Node
from warpwright.emulator.jit.codegen.blocks import Block
from warpwright.emulator.jit.codegen.control import Control
from warpwright.emulator.jit.context import Context, FaultCode, WarpHeader, offset
from warpwright.emulator.ops.access import BarrierUse, barrier_of
from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Register

_RESULT_KINDS = {None: 0, "popc": 1, "and": 2, "or": 3}
"""As `ww_deliver` reads them."""


class Endings:
    """Writes the ends of one kernel's blocks. `number` below is the node's number in the kernel, for faults."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._writers: dict[Effect, Callable[[Block, Node, int], None]] = {
            Effect.BRANCH: self._branch,
            Effect.BRANCH_TABLE: self._table,
            Effect.EXIT: self._exit,
            Effect.RETURN: self._exit,
            Effect.TRAP: self._trap,
            Effect.BARRIER: self._barrier,
        }

    def handles(self, node: Node) -> bool:
        """Whether an instruction ends its block."""
        return node.bound.operation.effect in self._writers

    def write(self, block: Block, node: Node | None, number: int) -> None:
        """The end of a block; None: it falls through to its only successor, or out of the kernel."""
        if node is not None:
            self._writers[node.bound.operation.effect](block, node, number)
            return
        block.write_back()
        self._leave(block, block.mask, number)

    def _leave(self, block: Block, mask: str, number: int) -> None:
        """All of `mask` to the last successor; without one they are done."""
        successors = block.graph.blocks[block.number].successors
        if successors:
            self._control.go(block.number, successors[-1], mask, number)
        else:
            block.emitter.jump("dispatch")

    def _rest(self, block: Block, mask: str) -> str:
        return block.emitter.assign(f"xor i32 {mask}, {block.mask}")

    def _branch(self, block: Block, node: Node, number: int) -> None:
        emitter, successors = block.emitter, block.graph.blocks[block.number].successors
        taken = block.guarded_mask(node.instruction.guard)
        block.write_back()
        if node.instruction.guard is None or len(set(successors)) == 1:
            self._control.go(block.number, successors[0], block.mask, number)
            return
        rest = self._rest(block, taken)
        all_go, some_stay = emitter.label("taken"), emitter.label("stay")
        none_go, mixed = emitter.label("fall"), emitter.label("split")
        emitter.branch(emitter.assign(f"icmp eq i32 {rest}, 0"), all_go, some_stay)
        emitter.begin(all_go)
        self._control.go(block.number, successors[0], block.mask, number)
        emitter.begin(some_stay)
        emitter.branch(emitter.assign(f"icmp eq i32 {taken}, 0"), none_go, mixed)
        emitter.begin(none_go)
        self._control.go(block.number, successors[1], block.mask, number)
        emitter.begin(mixed)
        self._control.split([(successors[0], taken), (successors[1], rest)], block.number, number)

    def _table(self, block: Block, node: Node, number: int) -> None:
        builder, successors = block.builder, block.graph.blocks[block.number].successors
        index = block.operands.read(node.instruction.operands[0], LaneType.I32)
        parts = []
        for place, target in enumerate(successors):
            chosen = builder.compare("eq", index, builder.const(place, LaneType.I32))
            mask = block.emitter.assign(f"and i32 {builder.mask_of(chosen)}, {block.mask}")
            parts.append((target, mask))
        block.write_back()
        self._control.split(parts, block.number, number)

    def _exit(self, block: Block, node: Node, number: int) -> None:
        leaving = block.guarded_mask(node.instruction.guard)
        block.write_back()
        if node.instruction.guard is None:
            block.emitter.jump("dispatch")
            return
        self._rest_goes_on(block, leaving, number)

    def _rest_goes_on(self, block: Block, gone: str, number: int) -> None:
        emitter = block.emitter
        rest = self._rest(block, gone)
        on = emitter.label("rest")
        emitter.branch(emitter.assign(f"icmp eq i32 {rest}, 0"), "dispatch", on)
        emitter.begin(on)
        self._leave(block, rest, number)

    def _trap(self, block: Block, node: Node, number: int) -> None:
        emitter = block.emitter
        trapped = block.guarded_mask(node.instruction.guard)
        block.write_back()
        trap, on = emitter.label("trap"), emitter.label("on")
        emitter.branch(emitter.assign(f"icmp eq i32 {trapped}, 0"), on, trap)
        emitter.begin(trap)
        self._control.fault(FaultCode.TRAP, number, trapped)
        emitter.begin(on)
        self._leave(block, block.mask, number)

    def _barrier(self, block: Block, node: Node, number: int) -> None:
        emitter = block.emitter
        use = barrier_of(node.bound, node.instruction)
        lanes = block.guarded_mask(node.instruction.guard)
        barrier = emitter.assign(f"and i32 {block.operands.scalar(use.number, lanes)}, 15")
        threads = block.operands.scalar(use.threads, lanes) if use.threads is not None else "0"
        votes = self._votes(block, use)
        block.write_back()
        arrive, on = emitter.label("arrive"), emitter.label("on")
        emitter.branch(emitter.assign(f"icmp eq i32 {lanes}, 0"), on, arrive)
        emitter.begin(arrive)
        emitter.add_to("%context", offset(Context, "barriers"), "1")
        if not use.waits:
            self._announce(block, barrier)
            emitter.jump(on)
            emitter.begin(on)
            self._leave(block, block.mask, number)
            return
        self._park(block, use, (lanes, barrier, threads, votes), number)
        self._rest_goes_on(block, lanes, number)
        emitter.begin(on)
        self._leave(block, block.mask, number)

    def _votes(self, block: Block, use: BarrierUse) -> str:
        if use.predicate is None:
            return "0"
        return block.builder.mask_of(block.operands.read(use.predicate, LaneType.I1))

    def _announce(self, block: Block, barrier: str) -> None:
        """`bar.arrive`: the warp counts with all its threads, as on the GPU."""
        emitter = block.emitter
        base = emitter.address("%context", offset(Context, "arrived"))
        place = emitter.assign(f"getelementptr i32, ptr {base}, i32 {barrier}")
        old = emitter.assign(f"load i32, ptr {place}")
        emitter.line(f"store i32 {emitter.assign(f'add i32 {old}, 32')}, ptr {place}")

    def _park(self, block: Block, use: BarrierUse, values: tuple[str, str, str, str], number: int) -> None:
        """Lanes wait at a barrier; other lanes of the warp that wait at another one make it a fault."""
        emitter = block.emitter
        lanes, barrier, threads, votes = values
        parked = self._get(block, "parked")
        elsewhere = emitter.assign(f"icmp ne i32 {self._get(block, 'barrier_node')}, {number}")
        somebody = emitter.assign(f"icmp ne i32 {parked}, 0")
        wrong, right = emitter.label("divergent"), emitter.label("park")
        emitter.branch(emitter.assign(f"and i1 {elsewhere}, {somebody}"), wrong, right)
        emitter.begin(wrong)
        self._control.fault(FaultCode.BARRIER, number, lanes)
        emitter.begin(right)
        before = emitter.assign(f"and i32 {self._get(block, 'barrier_votes')}, {parked}")
        own = emitter.assign(f"and i32 {votes}, {lanes}")
        self._set(block, "barrier_votes", emitter.assign(f"or i32 {before}, {own}"))
        self._set(block, "parked", emitter.assign(f"or i32 {parked}, {lanes}"))
        self._set(block, "barrier_node", str(number))
        self._set(block, "barrier_id", barrier)
        self._set(block, "barrier_threads", threads)
        self._set(block, "resume", str(block.graph.blocks[block.number].successors[-1]))
        self._set(block, "result_kind", str(_RESULT_KINDS[use.reduction]))
        place = block.layout.registers[use.result.name] if isinstance(use.result, Register) else 0
        self._set(block, "result_offset", str(place))

    def _get(self, block: Block, field: str) -> str:
        return block.emitter.load("i32", "%warp", offset(WarpHeader, field))

    def _set(self, block: Block, field: str, value: str) -> None:
        block.emitter.store("i32", value, "%warp", offset(WarpHeader, field))
