"""The machine on which operations are defined: 32 lanes, a few primitive instructions.

An operation of the PTX table is written once, over this protocol. `interp` implements it with NumPy arrays (that is the
definition), `jit` with LLVM vectors. A value is one array of lanes of one `LaneType`; predicates are I1.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Protocol

Value = Any
"""Lanes of one type; what it is inside is the builder's own business."""


class LaneType(Enum):
    """Type of one lane. Half and bfloat16 are I16 patterns with explicit conversions; I1 is a predicate."""

    I1 = ("i", 1)
    I8 = ("i", 8)
    I16 = ("i", 16)
    I32 = ("i", 32)
    I64 = ("i", 64)
    F32 = ("f", 32)
    F64 = ("f", 64)

    @property
    def bits(self) -> int:
        """Width of a lane."""
        return self.value[1]

    @property
    def is_float(self) -> bool:
        """True for F32 and F64."""
        return self in (LaneType.F32, LaneType.F64)


def integer(bits: int) -> LaneType:
    """The integer lane type of that width: 1, 8, 16, 32 or 64."""
    return next(t for t in LaneType if not t.is_float and t.bits == bits)


class Builder(Protocol):
    """Primitive lane operations. Integer arithmetic wraps. Both operands have the same type unless said otherwise.

    Every primitive is exact and deterministic, so that two builders agree bit for bit: floats are IEEE 754 binary with
    round-to-nearest-even, nothing is contracted, subnormals are kept, and a NaN result is canonical
    (0x7fffffff for F32, 0x7fffffffffffffff for F64, as PTX has it).
    """

    def const(self, value: int | float, kind: LaneType) -> Value:
        """The same value in every lane; a float for F32/F64, else an integer taken modulo 2**bits."""
        ...

    # integers -----------------------------------------------------------------------------------------------------
    def add(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def sub(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def mul(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def udiv(self, a: Value, b: Value) -> Value:
        """Unsigned quotient; no lane of b may be 0 (the caller selects a harmless divisor)."""
        ...

    def urem(self, a: Value, b: Value) -> Value:
        """Unsigned remainder; no lane of b may be 0."""
        ...

    def sdiv(self, a: Value, b: Value) -> Value:
        """Signed quotient toward zero; b not 0, and not MIN / -1."""
        ...

    def srem(self, a: Value, b: Value) -> Value:
        """Signed remainder with the sign of a; b not 0, and not MIN % -1."""
        ...

    def and_(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def or_(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def xor(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def not_(self, a: Value) -> Value: ...  # noqa: D102
    def shl(self, a: Value, count: Value) -> Value:
        """Shift left; every lane of count (same type as a) is below the width."""
        ...

    def lshr(self, a: Value, count: Value) -> Value:
        """Logical shift right; count below the width."""
        ...

    def ashr(self, a: Value, count: Value) -> Value:
        """Arithmetic shift right; count below the width."""
        ...

    def popcount(self, a: Value) -> Value: ...  # noqa: D102
    def leading_zeros(self, a: Value) -> Value:
        """Width for 0."""
        ...

    def reverse_bits(self, a: Value) -> Value: ...  # noqa: D102
    def compare(self, predicate: str, a: Value, b: Value) -> Value:
        """I1. Integers: eq ne slt sle sgt sge ult ule ugt uge. Floats, false with a NaN: eq ne lt le gt ge; `uno`: any NaN."""
        ...

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """Lane-wise `condition ? a : b`; condition is I1, a and b have one type (I1 too)."""
        ...

    def zext(self, a: Value, kind: LaneType) -> Value: ...  # noqa: D102
    def sext(self, a: Value, kind: LaneType) -> Value: ...  # noqa: D102
    def trunc(self, a: Value, kind: LaneType) -> Value: ...  # noqa: D102

    # floats -------------------------------------------------------------------------------------------------------
    def fadd(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def fsub(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def fmul(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def fdiv(self, a: Value, b: Value) -> Value: ...  # noqa: D102
    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """a * b + c, rounded once."""
        ...

    def sqrt(self, a: Value) -> Value: ...  # noqa: D102
    def round_even(self, a: Value) -> Value:
        """To an integral float, ties to even."""
        ...

    def floor(self, a: Value) -> Value: ...  # noqa: D102
    def ceil(self, a: Value) -> Value: ...  # noqa: D102
    def truncate(self, a: Value) -> Value:
        """To an integral float, toward zero."""
        ...

    def float_to_signed(self, a: Value, kind: LaneType) -> Value:
        """Toward zero; every lane is known to fit (the caller clamps, NaN removed)."""
        ...

    def float_to_unsigned(self, a: Value, kind: LaneType) -> Value:
        """Toward zero; every lane is known to fit."""
        ...

    def signed_to_float(self, a: Value, kind: LaneType) -> Value: ...  # noqa: D102
    def unsigned_to_float(self, a: Value, kind: LaneType) -> Value: ...  # noqa: D102
    def widen(self, a: Value) -> Value:
        """F32 to F64."""
        ...

    def narrow(self, a: Value) -> Value:
        """F64 to F32, nearest even."""
        ...

    def half_to_float(self, a: Value) -> Value:
        """I16 holding binary16, to F32."""
        ...

    def float_to_half(self, a: Value) -> Value:
        """F32 to I16 holding binary16, nearest even, overflow to infinity, NaN 0x7fff."""
        ...

    def bitcast(self, a: Value, kind: LaneType) -> Value:
        """Same bits, another type of the same width."""
        ...

    # across the warp ----------------------------------------------------------------------------------------------
    def lane(self) -> Value:
        """I32: 0..31."""
        ...

    def active(self) -> Value:
        """I1: lanes that execute this instruction (its guard included)."""
        ...

    def ballot(self, a: Value) -> Value:
        """I32, the same in all lanes of a warp: bit i is lane i of the I1 value a."""
        ...

    def permute(self, a: Value, source_lane: Value) -> Value:
        """Lane i of the result is lane `source_lane[i]` of a; source_lane is I32 in 0..31."""
        ...

    def special(self, name: str, axis: str | None) -> Value:
        """A special register, I32 (I64 for clock64 and globaltimer)."""
        ...


Operands = Sequence[Value]
