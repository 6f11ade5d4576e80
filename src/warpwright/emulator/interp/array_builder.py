"""`Builder` on NumPy arrays of 32 lanes: what every primitive means."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from warpwright.emulator.interp.exact import Lanes, canonical, fma32, fma64
from warpwright.emulator.ops.builder import LaneType

WARP = 32

DTYPES: Mapping[LaneType, np.dtype[Any]] = {
    LaneType.I1: np.dtype(np.bool_),
    LaneType.I8: np.dtype(np.uint8),
    LaneType.I16: np.dtype(np.uint16),
    LaneType.I32: np.dtype(np.uint32),
    LaneType.I64: np.dtype(np.uint64),
    LaneType.F32: np.dtype(np.float32),
    LaneType.F64: np.dtype(np.float64),
}
"""Integers are unsigned patterns; signed operations view them as signed."""

_SIGNED = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_RELATIONS: Mapping[str, Callable[[Lanes, Lanes], Lanes]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _signed(a: Lanes) -> Lanes:
    return a.view(_SIGNED[a.dtype.itemsize])


class ArrayBuilder:
    """One warp's lanes. `mask`: those that execute; set before each instruction."""

    def __init__(self, special: Callable[[str, str | None], Lanes]) -> None:
        self._special = special
        self.mask = np.ones(WARP, np.bool_)

    def const(self, value: int | float, kind: LaneType) -> Lanes:
        """The same value in every lane."""
        if kind.is_float:
            return canonical(np.full(WARP, value, DTYPES[kind]))
        return np.full(WARP, int(value) & ((1 << kind.bits) - 1), DTYPES[kind])

    def add(self, a: Lanes, b: Lanes) -> Lanes:
        """Modulo 2**bits."""
        return a + b

    def sub(self, a: Lanes, b: Lanes) -> Lanes:
        """Modulo 2**bits."""
        return a - b

    def mul(self, a: Lanes, b: Lanes) -> Lanes:
        """Low half."""
        return a * b

    def udiv(self, a: Lanes, b: Lanes) -> Lanes:
        """Quotient."""
        return a // b

    def urem(self, a: Lanes, b: Lanes) -> Lanes:
        """Remainder."""
        return a % b

    def sdiv(self, a: Lanes, b: Lanes) -> Lanes:
        """Quotient toward zero: of the magnitudes, then the sign."""
        x, y = _signed(a), _signed(b)
        quotient = _magnitude(a) // _magnitude(b)
        return np.where((x < 0) != (y < 0), -quotient, quotient).astype(a.dtype)

    def srem(self, a: Lanes, b: Lanes) -> Lanes:
        """Remainder with the sign of a."""
        rest = _magnitude(a) % _magnitude(b)
        return np.where(_signed(a) < 0, -rest, rest).astype(a.dtype)

    def and_(self, a: Lanes, b: Lanes) -> Lanes:
        """Bitwise."""
        return a & b

    def or_(self, a: Lanes, b: Lanes) -> Lanes:
        """Bitwise."""
        return a | b

    def xor(self, a: Lanes, b: Lanes) -> Lanes:
        """Bitwise."""
        return a ^ b

    def not_(self, a: Lanes) -> Lanes:
        """Bitwise."""
        return ~a

    def shl(self, a: Lanes, count: Lanes) -> Lanes:
        """Left."""
        return a << count

    def lshr(self, a: Lanes, count: Lanes) -> Lanes:
        """Right, zeros from the left."""
        return a >> count

    def ashr(self, a: Lanes, count: Lanes) -> Lanes:
        """Right, sign from the left."""
        shifted: Lanes = _signed(a) >> _signed(count)
        return shifted.view(a.dtype)

    def popcount(self, a: Lanes) -> Lanes:
        """Bits that are 1."""
        return np.bitwise_count(a).astype(a.dtype)

    def leading_zeros(self, a: Lanes) -> Lanes:
        """Smear the top bit down; what is left is zeros."""
        smeared, shift = a, 1
        while shift < a.dtype.itemsize * 8:
            smeared = smeared | (smeared >> a.dtype.type(shift))
            shift *= 2
        return np.bitwise_count(~smeared).astype(a.dtype)

    def reverse_bits(self, a: Lanes) -> Lanes:
        """First bit last."""
        as_bits = np.unpackbits(
            np.ascontiguousarray(a).view(np.uint8).reshape(*a.shape, -1), axis=-1, bitorder="little"
        )
        packed = np.packbits(as_bits[..., ::-1], axis=-1, bitorder="little")
        return packed.reshape(-1).view(a.dtype).reshape(a.shape)

    def compare(self, predicate: str, a: Lanes, b: Lanes) -> Lanes:
        """By name; ordered for floats."""
        if predicate == "uno":
            return np.isnan(a) | np.isnan(b)
        if a.dtype.kind == "f":
            ordered = _RELATIONS[predicate](a, b)
            return ordered & ~(np.isnan(a) | np.isnan(b)) if predicate == "ne" else ordered
        if predicate in ("eq", "ne"):
            return _RELATIONS[predicate](a, b)
        relation = _RELATIONS[predicate[1:]]
        if predicate[0] == "s":
            a, b = _signed(a), _signed(b)
        return relation(a, b)

    def select(self, condition: Lanes, a: Lanes, b: Lanes) -> Lanes:
        """Lane by lane."""
        return np.where(condition, a, b)

    def zext(self, a: Lanes, kind: LaneType) -> Lanes:
        """Zeros above."""
        return a.astype(DTYPES[kind])

    def sext(self, a: Lanes, kind: LaneType) -> Lanes:
        """The sign above."""
        target = DTYPES[kind]
        if a.dtype == np.bool_:
            ones: Lanes = np.where(a, ~target.type(0), target.type(0))
            return ones
        extended: Lanes = _signed(a).astype(_SIGNED[target.itemsize])
        return extended.view(target)

    def trunc(self, a: Lanes, kind: LaneType) -> Lanes:
        """Low bits."""
        return (a & a.dtype.type(1)).astype(np.bool_) if kind is LaneType.I1 else a.astype(DTYPES[kind])

    def fadd(self, a: Lanes, b: Lanes) -> Lanes:
        """Nearest even."""
        return canonical(a + b)

    def fsub(self, a: Lanes, b: Lanes) -> Lanes:
        """Nearest even."""
        return canonical(a - b)

    def fmul(self, a: Lanes, b: Lanes) -> Lanes:
        """Nearest even."""
        return canonical(a * b)

    def fdiv(self, a: Lanes, b: Lanes) -> Lanes:
        """Nearest even."""
        return canonical(a / b)

    def fma(self, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        """Rounded once."""
        return canonical(fma32(a, b, c) if a.dtype == np.float32 else fma64(a, b, c))

    def sqrt(self, a: Lanes) -> Lanes:
        """Nearest even."""
        return canonical(np.sqrt(a))

    def round_even(self, a: Lanes) -> Lanes:
        """Ties to even."""
        return canonical(np.rint(a))

    def floor(self, a: Lanes) -> Lanes:
        """Down."""
        return canonical(np.floor(a))

    def ceil(self, a: Lanes) -> Lanes:
        """Up."""
        return canonical(np.ceil(a))

    def truncate(self, a: Lanes) -> Lanes:
        """Toward zero."""
        return canonical(np.trunc(a))

    def float_to_signed(self, a: Lanes, kind: LaneType) -> Lanes:
        """Toward zero."""
        target = DTYPES[kind]
        return a.astype(_SIGNED[target.itemsize]).view(target)

    def float_to_unsigned(self, a: Lanes, kind: LaneType) -> Lanes:
        """Toward zero."""
        return a.astype(DTYPES[kind])

    def signed_to_float(self, a: Lanes, kind: LaneType) -> Lanes:
        """Nearest even."""
        return _signed(a).astype(DTYPES[kind])

    def unsigned_to_float(self, a: Lanes, kind: LaneType) -> Lanes:
        """Nearest even."""
        return a.astype(DTYPES[kind])

    def widen(self, a: Lanes) -> Lanes:
        """Exact."""
        return canonical(a.astype(np.float64))

    def narrow(self, a: Lanes) -> Lanes:
        """Nearest even."""
        return canonical(a.astype(np.float32))

    def half_to_float(self, a: Lanes) -> Lanes:
        """Exact."""
        return canonical(a.view(np.float16).astype(np.float32))

    def float_to_half(self, a: Lanes) -> Lanes:
        """Nearest even; NaN is 0x7fff."""
        return np.where(np.isnan(a), np.uint16(0x7FFF), a.astype(np.float16).view(np.uint16))

    def bitcast(self, a: Lanes, kind: LaneType) -> Lanes:
        """Same bits."""
        return np.ascontiguousarray(a).view(DTYPES[kind])

    def lane(self) -> Lanes:
        """0..31."""
        return np.arange(WARP, dtype=np.uint32)

    def active(self) -> Lanes:
        """Lanes that execute."""
        return self.mask

    def ballot(self, a: Lanes) -> Lanes:
        """Bits of the lanes, in each of them."""
        weights = np.uint32(1) << np.arange(WARP, dtype=np.uint32)
        word = np.where(a, weights, np.uint32(0)).sum(dtype=np.uint32)
        return np.full(WARP, word, np.uint32)

    def permute(self, a: Lanes, source_lane: Lanes) -> Lanes:
        """Lane i from lane source_lane[i]."""
        return a[source_lane.astype(np.int64)]

    def special(self, name: str, axis: str | None) -> Lanes:
        """From the launch."""
        return self._special(name, axis)


def _magnitude(a: Lanes) -> Lanes:
    """|a| as an unsigned number; right for the most negative one too."""
    return np.where(_signed(a) < 0, -a, a).astype(a.dtype)
