"""Where a warp goes next: pending masks, branches, barriers, exits. Lanes always go on at the lowest block number."""

from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.flow.loops import SPIN_LIMIT, waiting_edges
from warpwright.emulator.jit.codegen.emitter import Emitter
from warpwright.emulator.jit.codegen.layout import Layout
from warpwright.emulator.jit.context import Context, FaultCode, State, WarpHeader, offset


class Control:
    """Emits transfers between the basic blocks of one kernel."""

    def __init__(self, graph: KernelGraph, layout: Layout, emitter: Emitter) -> None:
        self._layout = layout
        self._emitter = emitter
        self._waiting = waiting_edges(graph)
        self._block_count = len(graph.blocks)

    def dispatch(self) -> None:
        """The dispatcher: the lowest ready block, or back to the scheduler if there is none."""
        emitter = self._emitter
        emitter.begin("dispatch")
        count = emitter.load("i32", "%warp")
        emitter.branch(emitter.assign(f"icmp eq i32 {count}, 0"), "idle", "pick")
        emitter.begin("idle")
        parked = emitter.load("i32", "%warp", offset(WarpHeader, "parked"))
        none = emitter.assign(f"icmp eq i32 {parked}, 0")
        emitter.line(f"ret i32 {emitter.assign(f'select i1 {none}, i32 {State.DONE.value}, i32 {State.PARKED.value}')}")
        emitter.begin("pick")
        lowest = self._lowest("0")
        emitter.jump("enter")
        emitter.begin("rotate")
        last = emitter.load("i32", "%warp", offset(WarpHeader, "last_block"))
        following = self._lowest(last)
        emitter.jump("enter")
        emitter.begin("enter")
        self._enter(emitter.assign(f"phi i32 [ {lowest}, %pick ], [ {following}, %rotate ]"))

    def _lowest(self, start: str) -> str:
        """Number of the lowest ready block from `start` on, wrapping round."""
        emitter = self._emitter
        if self._layout.ready_words == 1 and start == "0":
            word = emitter.load("i64", "%ready")
            bit = emitter.call("llvm.cttz.i64", "i64", ("i64", word), ("i1", "true"))
            return emitter.assign(f"trunc i64 {bit} to i32")
        words = ("i32", str(self._layout.ready_words))
        return emitter.call("ww_lowest", "i32", ("ptr", "%warp"), words, ("i32", start))

    def _enter(self, block: str) -> None:
        emitter = self._emitter
        word, bit = self._ready_bit(block)
        old = emitter.load("i64", word)
        emitter.line(f"store i64 {emitter.assign(f'xor i64 {old}, {bit}')}, ptr {word}")
        count = emitter.load("i32", "%warp")
        emitter.line(f"store i32 {emitter.assign(f'sub i32 {count}, 1')}, ptr %warp")
        place = emitter.assign(f"getelementptr i32, ptr %pending, i32 {block}")
        mask = emitter.load("i32", place)
        emitter.line(f"store i32 0, ptr {place}")
        emitter.line(f"store i32 {mask}, ptr %mask")
        targets = " ".join(f"i32 {n}, label %b{n}" for n in range(self._block_count))
        emitter.line(f"switch i32 {block}, label %nowhere [ {targets} ]")
        emitter.begin("nowhere")
        emitter.line("unreachable")

    def _ready_bit(self, block: str) -> tuple[str, str]:
        """Place of a block's word of ready bits, and its bit; the block is a number or an SSA value."""
        emitter = self._emitter
        if block.isdecimal():
            return emitter.address("%ready", int(block) // 64 * 8), str(_signed(1 << int(block) % 64))
        index = emitter.assign(f"lshr i32 {block}, 6")
        word = emitter.assign(f"getelementptr i64, ptr %ready, i32 {index}")
        position = emitter.assign(f"zext i32 {emitter.assign(f'and i32 {block}, 63')} to i64")
        return word, emitter.assign(f"shl i64 1, {position}")

    def make_ready(self, block: int, mask: str) -> None:
        """Lanes (at least one) wait for their turn at a block."""
        emitter = self._emitter
        place = emitter.address("%pending", block * 4)
        old = emitter.load("i32", place)
        emitter.line(f"store i32 {emitter.assign(f'or i32 {old}, {mask}')}, ptr {place}")
        word, bit = self._ready_bit(str(block))
        ready = emitter.load("i64", word)
        emitter.line(f"store i64 {emitter.assign(f'or i64 {ready}, {bit}')}, ptr {word}")
        fresh = emitter.assign(f"zext i1 {emitter.assign(f'icmp eq i32 {old}, 0')} to i32")
        count = emitter.load("i32", "%warp")
        emitter.line(f"store i32 {emitter.assign(f'add i32 {count}, {fresh}')}, ptr %warp")

    def go(self, source: int, target: int, mask: str, node: int) -> None:
        """All current lanes go on at `target`: directly if nobody else is pending. Ends the LLVM block."""
        emitter = self._emitter
        if target <= source:
            self._turn_back(source, target, mask, node)
        count = emitter.load("i32", "%warp")
        direct, later = emitter.label("direct"), emitter.label("later")
        emitter.branch(emitter.assign(f"icmp eq i32 {count}, 0"), direct, later)
        emitter.begin(direct)
        emitter.line(f"store i32 {mask}, ptr %mask")
        emitter.jump(f"b{target}")
        emitter.begin(later)
        self.make_ready(target, mask)
        emitter.jump("dispatch")

    def split(self, parts: list[tuple[int, str]], source: int, node: int) -> None:
        """Some lanes here, some there: (block, mask) pairs whose masks may be empty. Ends the LLVM block."""
        emitter = self._emitter
        if any(target <= source for target, _ in parts):
            self._check_budget(source, node)
        for target, mask in parts:
            some, next_part = emitter.label("some"), emitter.label("next")
            emitter.branch(emitter.assign(f"icmp eq i32 {mask}, 0"), next_part, some)
            emitter.begin(some)
            self.make_ready(target, mask)
            emitter.jump(next_part)
            emitter.begin(next_part)
        emitter.jump("dispatch")

    def fault(self, code: FaultCode, node: int, mask: str) -> None:
        """Record a fault and end the warp. Ends the LLVM block."""
        emitter = self._emitter
        numbers = ("i32", str(code.value)), ("i32", str(node)), ("i32", mask)
        emitter.call("ww_stop", "void", ("ptr", "%context"), ("ptr", "%warp"), *numbers)
        emitter.line(f"ret i32 {State.FAULT.value}")

    def _check_budget(self, source: int, node: int) -> None:
        emitter = self._emitter
        left = emitter.load("i64", "%context", offset(Context, "budget"))
        spent, on = emitter.label("spent"), emitter.label("on")
        emitter.branch(emitter.assign(f"icmp slt i64 {left}, 0"), spent, on)
        emitter.begin(spent)
        waits = any(edge[0] == source for edge in self._waiting)
        mask = emitter.load("i32", "%mask")
        self.fault(FaultCode.DEADLOCK if waits else FaultCode.BUDGET, node, mask)
        emitter.begin(on)

    def _turn_back(self, source: int, target: int, mask: str, node: int) -> None:
        """A back edge: the budget, and the turn of others if this loop may be waiting for them."""
        self._check_budget(source, node)
        if (source, target) not in self._waiting:
            return
        emitter = self._emitter
        place = emitter.address("%warp", offset(WarpHeader, "spins"))
        spins = emitter.assign(f"add i32 {emitter.load('i32', place)}, 1")
        emitter.line(f"store i32 {spins}, ptr {place}")
        long, on = emitter.label("long"), emitter.label("on")
        emitter.branch(emitter.assign(f"icmp ugt i32 {spins}, {SPIN_LIMIT}"), long, on)
        emitter.begin(long)
        emitter.line(f"store i32 0, ptr {place}")
        count = emitter.load("i32", "%warp")
        self.make_ready(target, mask)
        following = (target + 1) % self._block_count
        emitter.store("i32", str(following), "%warp", offset(WarpHeader, "last_block"))
        give_up = emitter.label("yield")
        emitter.branch(emitter.assign(f"icmp eq i32 {count}, 0"), give_up, "rotate")
        emitter.begin(give_up)
        emitter.line(f"ret i32 {State.RUNNABLE.value}")
        emitter.begin(on)


def _signed(bits: int) -> int:
    """A 64-bit pattern as LLVM's signed literal."""
    return bits - (1 << 64) if bits >> 63 else bits
