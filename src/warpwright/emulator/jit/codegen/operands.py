"""Operands of instructions as lane values: registers, literals, special registers, addresses of variables."""

from collections.abc import Callable

import numpy as np

from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.jit.codegen.builder import LlvmBuilder
from warpwright.emulator.jit.codegen.emitter import WARP, Lanes
from warpwright.emulator.jit.codegen.registers import Registers
from warpwright.emulator.jit.context import Context, WarpHeader, offset
from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.operands import immediate_bits
from warpwright.emulator.ptx.ir import Immediate, Negated, Operand, Register, Special, Symbol
from warpwright.errors import UnsupportedInstruction

_AXES = {"x": 0, "y": 1, "z": 2, None: 0}
_ALL = 0xFFFF_FFFF


def symbol_order(graph: KernelGraph) -> tuple[str, ...]:
    """Module variables in the order of the context's table of their addresses."""
    return tuple(sorted(graph.module_variables))


class SpecialValues:
    """Special registers. Those of the launch come from the context, those of the lane are constants."""

    def __init__(self, builder: LlvmBuilder) -> None:
        self._builder = builder
        self._known: dict[tuple[str, str | None], Lanes] = {}
        self._from_context = {"ctaid": "ctaid_x", "ntid": "ntid_x", "nctaid": "nctaid_x"}
        self._lane_masks: dict[str, Callable[[int], int]] = {
            "lanemask_eq": lambda lane: 1 << lane,
            "lanemask_lt": lambda lane: (1 << lane) - 1,
            "lanemask_le": lambda lane: (2 << lane) - 1,
            "lanemask_gt": lambda lane: _ALL & ~((2 << lane) - 1),
            "lanemask_ge": lambda lane: _ALL & ~((1 << lane) - 1),
        }

    def special(self, name: str, axis: str | None) -> Lanes:
        """A special register in every lane.

        Raises: UnsupportedInstruction for one that the emulator does not have.
        """
        key = (name, axis)
        if name in ("clock", "clock64", "clock_hi", "globaltimer"):
            return self._clock(name)
        if key not in self._known:
            self._known[key] = self._make(name, axis)
        return self._known[key]

    def _make(self, name: str, axis: str | None) -> Lanes:
        builder, emitter = self._builder, self._builder.emitter
        if name == "tid":
            place = emitter.address("%tids", 4 * WARP * _AXES[axis])
            return Lanes(LaneType.I32, emitter.assign(f"load <{WARP} x i32>, ptr {place}, align 64"))
        if name in self._from_context:
            place = emitter.address("%context", offset(Context, self._from_context[name]) + 4 * _AXES[axis])
            return builder.splat(emitter.assign(f"load i32, ptr {place}"), LaneType.I32)
        if name == "laneid":
            return builder.lane()
        if name == "warpid":
            return builder.splat(emitter.load("i32", "%warp", offset(WarpHeader, "index")), LaneType.I32)
        if name in self._lane_masks:
            function = self._lane_masks[name]
            return builder.constant_lanes(LaneType.I32, np.array([function(i) for i in range(WARP)], np.uint64))
        return self._from_launch(name)

    def _from_launch(self, name: str) -> Lanes:
        builder, emitter = self._builder, self._builder.emitter
        wide = {"dynamic_smem_size": "dynamic_shared_bytes", "total_smem_size": "shared_bytes", "nwarpid": "warp_count"}
        if name in wide:
            value = emitter.load("i64", "%context", offset(Context, wide[name]))
            return builder.splat(emitter.assign(f"trunc i64 {value} to i32"), LaneType.I32)
        if name in ("smid", "nsmid", "gridid"):
            return builder.const(1 if name == "nsmid" else 0, LaneType.I32)
        raise UnsupportedInstruction(f"%{name}")

    def _clock(self, name: str) -> Lanes:
        """Warp instructions so far: time that only ever goes forward, the same in every run."""
        emitter = self._builder.emitter
        left = emitter.load("i64", "%context", offset(Context, "budget"))
        total = emitter.load("i64", "%context", offset(Context, "clock"))
        now = emitter.assign(f"sub i64 {total}, {left}")
        if name in ("clock64", "globaltimer"):
            return self._builder.splat(now, LaneType.I64)
        part = emitter.assign(f"lshr i64 {now}, {32 if name == 'clock_hi' else 0}")
        return self._builder.splat(emitter.assign(f"trunc i64 {part} to i32"), LaneType.I32)


class Operands:
    """Reads the operands of one basic block's instructions."""

    def __init__(self, graph: KernelGraph, builder: LlvmBuilder, registers: Registers) -> None:
        self._graph = graph
        self._builder = builder
        self._registers = registers
        self._symbols = symbol_order(graph)

    def read(self, operand: Operand, kind: LaneType) -> Lanes:
        """An operand as lanes of a type.

        Raises: UnsupportedInstruction for an operand that has no value (a function's name).
        """
        match operand:
            case Register(name):
                return self._registers.read(name, kind)
            case Immediate():
                return self._literal(immediate_bits(operand, kind), kind)
            case Negated(register):
                return self._builder.not_(self._registers.read(register.name, LaneType.I1))
            case Special(name, axis):
                return self._special(name, axis, kind)
            case Symbol(name, distance):
                return self._resized(self._symbol(name, distance), kind)
        raise UnsupportedInstruction(f"operand {operand}")

    def register_kind(self, register: Register) -> LaneType:
        """Integer lane type of a register's width."""
        return self._registers.kind(register.name)

    def scalar(self, operand: Operand, mask: str) -> str:
        """An operand that is the same in all lanes, as i32: the value of the mask's first lane."""
        value = self.read(operand, LaneType.I32)
        if value.constant is not None:
            return str(int(value.constant[0]))
        emitter = self._builder.emitter
        lane = emitter.call("llvm.cttz.i32", "i32", ("i32", mask), ("i1", "false"))
        inside = emitter.assign(f"and i32 {lane}, {WARP - 1}")
        return emitter.assign(f"extractelement {self._builder.typed(value)}, i32 {inside}")

    def _literal(self, bits: int, kind: LaneType) -> Lanes:
        if not kind.is_float:
            return self._builder.const(bits, kind)
        pattern = self._builder.const(bits, LaneType.I32 if kind is LaneType.F32 else LaneType.I64)
        return self._builder.bitcast(pattern, kind)

    def _special(self, name: str, axis: str | None, kind: LaneType) -> Lanes:
        if name == "WARP_SZ":
            return self._builder.const(WARP, kind)
        return self._resized(self._builder.special(name, axis), kind)

    def _resized(self, value: Lanes, kind: LaneType) -> Lanes:
        builder = self._builder
        if value.kind.bits > kind.bits:
            return builder.trunc(value, kind)
        return builder.zext(value, kind) if value.kind.bits < kind.bits else builder.bitcast(value, kind)

    def _symbol(self, name: str, distance: int) -> Lanes:
        """Address of a variable in its own space."""
        graph, builder = self._graph, self._builder
        if name in graph.shared_offsets:
            return builder.const(graph.shared_offsets[name] + distance, LaneType.I64)
        if name in graph.local_offsets:
            return builder.const(graph.local_offsets[name] + distance, LaneType.I64)
        if name in self._symbols:
            table = builder.emitter.load("ptr", "%context", offset(Context, "symbols"))
            address = builder.emitter.load("i64", table, 8 * self._symbols.index(name))
            return builder.splat(builder.emitter.assign(f"add i64 {address}, {distance}"), LaneType.I64)
        raise UnsupportedInstruction(f"the address of {name}")
