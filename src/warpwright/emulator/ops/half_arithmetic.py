"""Arithmetic on f16 and bf16, single and in pairs: computed in f32 or f64 such that the one rounding is right."""

from collections.abc import Callable

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.compare import half_as_float
from warpwright.emulator.ops.declare import Family, same
from warpwright.emulator.ops.floating import extreme_of
from warpwright.emulator.ops.halves import half_from_float, narrow_to_odd
from warpwright.emulator.ops.rounding import magnitude, negated, saturate, to_odd, two_sum
from warpwright.emulator.ops.table import Form, Pipe

FAMILY = Family("Half Precision Floating Point Instructions")
op = FAMILY.op

_F32, _I16, _I32 = LaneType.F32, LaneType.I16, LaneType.I32
_SINGLE = frozenset({"f16", "bf16"})
_PAIRED = frozenset({"f16x2", "bf16x2"})
HALVES = _SINGLE | _PAIRED
"""Every type of one or two halves."""

OnSingles = Callable[..., Value]
"""From f32 inputs to an f32 that still holds enough to be rounded once to a half."""


def each_half(b: Builder, form: Form, compute: OnSingles, values: tuple[Value, ...]) -> Value:
    """Apply to a half, or to both halves of a pair."""
    if form.type in _SINGLE:
        return _one(b, form, compute, values)
    sixteen = b.const(16, _I32)
    low = _one(b, form, compute, tuple(b.trunc(v, _I16) for v in values))
    high = _one(b, form, compute, tuple(b.trunc(b.lshr(v, sixteen), _I16) for v in values))
    return b.or_(b.zext(low, _I32), b.shl(b.zext(high, _I32), sixteen))


def _one(b: Builder, form: Form, compute: OnSingles, values: tuple[Value, ...]) -> Value:
    result = compute(*(half_as_float(b, form.type, value) for value in values))
    if "sat" in form.modifiers:
        result = saturate(b, result, _F32)
    if "relu" in form.modifiers:
        zero = b.const(0.0, _F32)
        result = b.select(b.compare("le", result, zero), zero, result)
    return half_from_float(b, form.type, result)


@op("add", same(_SINGLE), Pipe.HALF, "rn sat", flops=1)
@op("add", same(_PAIRED), Pipe.HALF, "rn sat", flops=2)
def add(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x + y; f32 has more than twice the bits, so rounding twice changes nothing."""
    return each_half(b, form, b.fadd, (x, y))


@op("sub", same(_SINGLE), Pipe.HALF, "rn sat", flops=1)
@op("sub", same(_PAIRED), Pipe.HALF, "rn sat", flops=2)
def sub(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x - y."""
    return each_half(b, form, b.fsub, (x, y))


@op("mul", same(_SINGLE), Pipe.HALF, "rn sat", flops=1)
@op("mul", same(_PAIRED), Pipe.HALF, "rn sat", flops=2)
def mul(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x * y; exact in f64 (products of bf16 leave the range of f32)."""

    def compute(left: Value, right: Value) -> Value:
        return narrow_to_odd(b, b.fmul(b.widen(left), b.widen(right)))

    return each_half(b, form, compute, (x, y))


@op("fma", same(_SINGLE, 3), Pipe.HALF, "rn sat relu", flops=2)
@op("fma", same(_PAIRED, 3), Pipe.HALF, "rn sat relu", flops=4)
def fma(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """x * y + z, rounded once: the exact sum is rounded to odd on its way."""

    def compute(left: Value, right: Value, term: Value) -> Value:
        product = b.fmul(b.widen(left), b.widen(right))
        return narrow_to_odd(b, to_odd(b, *two_sum(b, product, b.widen(term))))

    return each_half(b, form, compute, (x, y, z))


@op("neg", same(HALVES, 1), Pipe.HALF)
def neg(b: Builder, form: Form, x: Value) -> Value:
    """-x."""
    return each_half(b, form, lambda v: negated(b, v, _F32), (x,))


@op("abs", same(HALVES, 1), Pipe.HALF)
def absolute(b: Builder, form: Form, x: Value) -> Value:
    """|x|."""
    return each_half(b, form, lambda v: magnitude(b, v, _F32), (x,))


@op("min", same(HALVES), Pipe.HALF, "NaN")
@op("max", same(HALVES), Pipe.HALF, "NaN")
def extreme(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """The smaller or larger, with the rules of f32."""
    return each_half(b, form, lambda v, w: extreme_of(b, form, (v, w), _F32), (x, y))
