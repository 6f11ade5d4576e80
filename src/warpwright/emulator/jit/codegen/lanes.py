"""Lane values of any width as LLVM vectors: constants, splats and folding; the base of the LLVM `Builder`."""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from warpwright.emulator.jit.codegen.emitter import WARP, ConstantLanes, Emitter, Lanes, scalar_type, suffix
from warpwright.emulator.ops.builder import LaneType

_CANONICAL_NAN = {LaneType.F32: "0x7FFFFFFFE0000000", LaneType.F64: "0x7FFFFFFFFFFFFFFF"}
"""0x7fffffff as LLVM writes a float (the double of the same value), and 0x7fffffffffffffff."""


class LaneFactory:
    """Makes lane values. width: lanes of a value, 32 for a warp and 1 where lanes go one after another (atomics)."""

    def __init__(self, emitter: Emitter, width: int = WARP) -> None:
        self.emitter = emitter
        self.width = width

    def type_of(self, kind: LaneType) -> str:
        """LLVM vector type: `<32 x i32>`."""
        return f"<{self.width} x {scalar_type(kind)}>"

    def typed(self, value: Lanes) -> str:
        """Type and value, as most instructions want their first operand."""
        return f"{self.type_of(value.kind)} {value.text}"

    def emit(self, kind: LaneType, text: str, *, raw_nan: bool = False) -> Lanes:
        """A new value from an instruction's text."""
        return Lanes(kind, self.emitter.assign(text), raw_nan=raw_nan)

    def const(self, value: int | float, kind: LaneType) -> Lanes:
        """The same value in every lane."""
        if kind.is_float:
            return Lanes(kind, f"splat ({scalar_type(kind)} {_float_text(float(value), kind)})")
        pattern = int(value) & ((1 << kind.bits) - 1)
        return self.constant_lanes(kind, np.full(self.width, pattern, np.uint64))

    def constant_lanes(self, kind: LaneType, lanes: ConstantLanes) -> Lanes:
        """A constant with its own bit pattern in each lane (integers)."""
        scalar = scalar_type(kind)
        if (lanes == lanes[0]).all():
            return Lanes(kind, f"splat ({scalar} {_integer_text(int(lanes[0]), kind)})", lanes)
        items = ", ".join(f"{scalar} {_integer_text(int(lane), kind)}" for lane in lanes)
        return Lanes(kind, f"<{items}>", lanes)

    def splat(self, scalar: str, kind: LaneType) -> Lanes:
        """A scalar SSA value in every lane."""
        vector = self.type_of(kind)
        first = self.emitter.assign(f"insertelement {vector} poison, {scalar_type(kind)} {scalar}, i32 0")
        if self.width == 1:
            return Lanes(kind, first)
        return self.emit(kind, f"shufflevector {vector} {first}, {vector} poison, <{self.width} x i32> zeroinitializer")

    def fold(self, kind: LaneType, function: Callable[..., Any], *inputs: Lanes) -> Lanes | None:
        """The result as a constant if all inputs are; the function works on uint64 lanes and may leave high bits."""
        constants = [value.constant for value in inputs]
        if any(constant is None for constant in constants):
            return None
        with np.errstate(over="ignore"):
            lanes = np.asarray(function(*constants)).astype(np.uint64)
        return self.constant_lanes(kind, lanes & np.uint64((1 << kind.bits) - 1))

    def intrinsic(self, name: str, kind: LaneType, *inputs: Lanes, raw_nan: bool = False) -> Lanes:
        """`llvm.name.v32f32(...)` on operands of one type."""
        vector = self.type_of(kind)
        full_name = f"llvm.{name}.v{self.width}{suffix(kind)}"
        text = self.emitter.call(full_name, vector, *((vector, value.text) for value in inputs))
        return Lanes(kind, text, raw_nan=raw_nan)

    def canonical(self, value: Lanes) -> Lanes:
        """The value with PTX's canonical NaN instead of whatever the CPU made."""
        if not value.raw_nan:
            return value
        vector = self.type_of(value.kind)
        bits = f"<{self.width} x i1>"
        is_nan = self.emitter.assign(f"fcmp uno {vector} {value.text}, {value.text}")
        nan = f"splat ({scalar_type(value.kind)} {_CANONICAL_NAN[value.kind]})"
        return self.emit(value.kind, f"select {bits} {is_nan}, {vector} {nan}, {vector} {value.text}")


def _integer_text(pattern: int, kind: LaneType) -> str:
    if kind is LaneType.I1:
        return "true" if pattern else "false"
    return str(pattern)


def _float_text(value: float, kind: LaneType) -> str:
    if value != value:
        return _CANONICAL_NAN[kind]
    if kind is LaneType.F32:
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
