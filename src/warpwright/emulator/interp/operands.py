"""Operands of an instruction as lanes, and results back into registers."""

from collections.abc import Callable

import numpy as np

from warpwright.emulator.execution import Run
from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.interp.array_builder import DTYPES, WARP, ArrayBuilder
from warpwright.emulator.interp.exact import Lanes
from warpwright.emulator.interp.state import Block, Mask, Warp
from warpwright.emulator.ops.builder import LaneType, integer
from warpwright.emulator.ops.operands import immediate_bits
from warpwright.emulator.ptx.ir import Immediate, Negated, Operand, Register, Special, Symbol
from warpwright.errors import UnsupportedInstruction

_AXES = {"x": 0, "y": 1, "z": 2, None: 0}
_ALL = 0xFFFF_FFFF
_LANE_MASKS: dict[str, Callable[[int], int]] = {
    "lanemask_eq": lambda lane: 1 << lane,
    "lanemask_lt": lambda lane: (1 << lane) - 1,
    "lanemask_le": lambda lane: (2 << lane) - 1,
    "lanemask_gt": lambda lane: _ALL & ~((2 << lane) - 1),
    "lanemask_ge": lambda lane: _ALL & ~((1 << lane) - 1),
}


class WarpView:
    """One warp of one block, as its instructions see it. clock: warp instructions so far."""

    def __init__(self, graph: KernelGraph, run: Run, block: Block, warp: Warp, clock: Callable[[], int]) -> None:
        self._graph = graph
        self._run = run
        self._block = block
        self._warp = warp
        self._clock = clock
        self.builder = ArrayBuilder(self.special)

    def read(self, operand: Operand, kind: LaneType) -> Lanes:
        """An operand as lanes of a type: cut or zero-filled to its width."""
        match operand:
            case Register(name):
                return self._typed(self._warp.registers[name], kind)
            case Immediate():
                return self._literal(immediate_bits(operand, kind), kind)
            case Negated(register):
                return ~self._warp.registers[register.name]
            case Special(name, axis):
                return self._typed(self.special(name, axis), kind)
            case Symbol(name, distance):
                return self._typed(np.full(WARP, self._address(name) + distance, np.uint64), kind)
        raise UnsupportedInstruction(f"operand {operand}")

    def _literal(self, bits: int, kind: LaneType) -> Lanes:
        if kind.is_float:
            return np.full(WARP, bits, np.uint32 if kind is LaneType.F32 else np.uint64).view(DTYPES[kind])
        return self.builder.const(bits, kind)

    def _typed(self, value: Lanes, kind: LaneType) -> Lanes:
        if kind is LaneType.I1:
            return value if value.dtype == np.bool_ else value != 0
        return value.astype(DTYPES[integer(kind.bits)]).view(DTYPES[kind])

    def _address(self, name: str) -> int:
        graph = self._graph
        for offsets in (graph.shared_offsets, graph.local_offsets):
            if name in offsets:
                return offsets[name]
        if name in self._run.arena.symbols:
            return self._run.arena.symbols[name].address
        raise UnsupportedInstruction(f"the address of {name} is not emulated")

    def write(self, operand: Operand, value: Lanes, mask: Mask, *, sign: bool) -> None:
        """A result into a register, in the lanes of the mask; sign: fills a wider register with its sign."""
        if not isinstance(operand, Register):
            return  # `_`
        old = self._warp.registers[operand.name]
        if value.dtype.kind == "f":
            value = value.view(np.uint32 if value.dtype == np.float32 else np.uint64)
        if sign and value.dtype.kind == "u" and value.dtype.itemsize < old.dtype.itemsize:
            value = value.view(f"i{value.dtype.itemsize}")
        self._warp.registers[operand.name] = np.where(mask, value.astype(old.dtype), old)

    def guard(self, mask: Mask, register: Register, *, negated: bool) -> Mask:
        """Lanes of a mask that a guard lets execute."""
        value = self._warp.registers[register.name]
        return mask & (~value if negated else value)

    def special(self, name: str, axis: str | None) -> Lanes:
        """A special register. Raises: UnsupportedInstruction for one that the emulator does not have."""
        if name == "tid":
            return self._warp.thread_ids[_AXES[axis]]
        if name == "laneid":
            return np.arange(WARP, dtype=np.uint32)
        if name in _LANE_MASKS:
            return np.array([_LANE_MASKS[name](lane) for lane in range(WARP)], np.uint32)
        if name in ("clock64", "globaltimer"):
            return np.full(WARP, self._clock(), np.uint64)
        return np.full(WARP, self._number(name, axis) & _ALL, np.uint32)

    def _number(self, name: str, axis: str | None) -> int:
        run, place = self._run, _AXES[axis]
        numbers: dict[str, Callable[[], int]] = {
            "ntid": lambda: run.block[place],
            "ctaid": lambda: self._block.index[place],
            "nctaid": lambda: run.grid[place],
            "warpid": lambda: self._warp.index,
            "nwarpid": lambda: len(self._block.warps),
            "dynamic_smem_size": lambda: run.shared_bytes,
            "total_smem_size": lambda: len(self._block.shared),
            "clock": self._clock,
            "clock_hi": lambda: self._clock() >> 32,
            "smid": lambda: 0,
            "nsmid": lambda: 1,
            "gridid": lambda: 0,
        }
        if name not in numbers:
            raise UnsupportedInstruction(f"%{name} is not emulated. Run this candidate with --device gpu.")
        return numbers[name]()
