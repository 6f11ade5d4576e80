"""Approximations, by one fixed sequence of primitives in F64 that then narrows: far inside the ISA's error bounds.

A GPU gives other last bits; kernels must not depend on them. Every executor gives the same ones.
"""

import math

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.compare import half_as_float
from warpwright.emulator.ops.declare import F32, F64, Family, same
from warpwright.emulator.ops.half import each_half
from warpwright.emulator.ops.halves import half_from_float
from warpwright.emulator.ops.rounding import finish, flushed, magnitude, negated, sign_of
from warpwright.emulator.ops.table import Form, Pipe

FAMILY = Family("Floating Point Instructions")
op = FAMILY.op

_F32, _F64, _I64 = LaneType.F32, LaneType.F64, LaneType.I64
_HALF = frozenset({"f16", "bf16", "f16x2", "bf16x2"})

_EXP2 = [math.log(2.0) ** n / math.factorial(n) for n in range(12)]
"""Taylor terms of 2**x; on |x| <= 1/2 the first one left out is below 2**-50."""

_LOG2 = [2.0 / math.log(2.0) / n for n in range(1, 20, 2)]
"""Terms of log2((1 + s) / (1 - s)) / s in s**2; |s| <= 0.172."""

_SINE = [(-1.0) ** n / math.factorial(2 * n + 1) for n in range(8)]
_COSINE = [(-1.0) ** n / math.factorial(2 * n) for n in range(9)]
"""Taylor terms in x**2; on |x| <= pi / 4 the first one left out is below 2**-50."""

_HALF_PI = (math.pi / 2, 6.123233995736766e-17)
"""pi / 2 in two parts (fdlibm's pio2_hi and pio2_lo)."""


def polynomial(b: Builder, x: Value, terms: list[float]) -> Value:
    """Horner's scheme in F64, terms from the constant on."""
    total = b.const(terms[-1], _F64)
    for term in reversed(terms[:-1]):
        total = b.fadd(b.fmul(total, x), b.const(term, _F64))
    return total


def exp2(b: Builder, x: Value) -> Value:
    """2**x of F64, for results inside the range of F32; beyond it 0 or infinity. A NaN stays."""
    low, high = b.const(-1000.0, _F64), b.const(1000.0, _F64)
    clamped = b.select(b.compare("lt", x, low), low, b.select(b.compare("gt", x, high), high, x))
    nan = b.compare("uno", x, x)
    clamped = b.select(nan, b.const(0.0, _F64), clamped)
    whole = b.round_even(clamped)
    power = b.add(b.float_to_signed(whole, _I64), b.const(1023, _I64))
    scale = b.bitcast(b.shl(power, b.const(52, _I64)), _F64)
    return b.select(nan, x, b.fmul(polynomial(b, b.fsub(clamped, whole), _EXP2), scale))


def log2(b: Builder, x: Value) -> Value:
    """log2(x) of an F64 that is an F32 value; -infinity at 0, NaN below."""
    bits = b.bitcast(x, _I64)
    exponent = b.sub(b.lshr(b.and_(bits, b.const((1 << 63) - 1, _I64)), b.const(52, _I64)), b.const(1023, _I64))
    fraction = b.or_(b.and_(bits, b.const((1 << 52) - 1, _I64)), b.const(1023 << 52, _I64))
    mantissa = b.bitcast(fraction, _F64)
    one = b.const(1.0, _F64)
    large = b.compare("gt", mantissa, b.const(math.sqrt(2.0), _F64))
    mantissa = b.select(large, b.fmul(mantissa, b.const(0.5, _F64)), mantissa)
    exponent = b.select(large, b.add(exponent, b.const(1, _I64)), exponent)
    ratio = b.fdiv(b.fsub(mantissa, one), b.fadd(mantissa, one))
    series = b.fmul(polynomial(b, b.fmul(ratio, ratio), _LOG2), ratio)
    return _log2_edges(b, x, b.fadd(b.signed_to_float(exponent, _F64), series))


def _log2_edges(b: Builder, x: Value, inside: Value) -> Value:
    zero, infinity = b.const(0.0, _F64), b.const(float("inf"), _F64)
    result = b.select(b.compare("eq", x, zero), negated(b, infinity, _F64), inside)
    result = b.select(b.compare("eq", x, infinity), infinity, result)
    invalid = b.or_(b.compare("lt", x, zero), b.compare("uno", x, x))
    return b.select(invalid, b.const(float("nan"), _F64), result)


def sine_cosine(b: Builder, x: Value, quarter: int) -> Value:
    """sin(x + quarter * pi/2) of F64; NaN for infinities. Beyond 2**30 accuracy is lost, as on a GPU."""
    limit = b.const(2.0**30, _F64)
    far = b.not_(b.compare("lt", magnitude(b, x, _F64), limit))
    near = b.select(far, b.const(0.0, _F64), x)
    turns = b.round_even(b.fmul(near, b.const(2.0 / math.pi, _F64)))
    rest = b.fma(negated(b, turns, _F64), b.const(_HALF_PI[0], _F64), near)
    rest = b.fma(negated(b, turns, _F64), b.const(_HALF_PI[1], _F64), rest)
    square = b.fmul(rest, rest)
    phase = b.add(b.float_to_signed(turns, _I64), b.const(quarter, _I64))
    odd = b.compare("ne", b.and_(phase, b.const(1, _I64)), b.const(0, _I64))
    minus = b.compare("ne", b.and_(phase, b.const(2, _I64)), b.const(0, _I64))
    value = b.select(odd, polynomial(b, square, _COSINE), b.fmul(polynomial(b, square, _SINE), rest))
    value = b.select(minus, negated(b, value, _F64), value)
    infinite = b.not_(b.compare("lt", magnitude(b, x, _F64), b.const(float("inf"), _F64)))
    return b.select(infinite, b.const(float("nan"), _F64), value)


def tanh(b: Builder, x: Value) -> Value:
    """tanh of F64: from e**2x, and near 0 from its series."""
    size = magnitude(b, x, _F64)
    power = exp2(b, b.fmul(size, b.const(2.0 / math.log(2.0), _F64)))
    one = b.const(1.0, _F64)
    large = b.fsub(one, b.fdiv(b.const(2.0, _F64), b.fadd(power, one)))
    square = b.fmul(x, x)
    small = b.fmul(size, polynomial(b, square, [1.0, -1 / 3, 2 / 15, -17 / 315, 62 / 2835]))
    value = b.select(b.compare("lt", size, b.const(0.1, _F64)), small, large)
    return b.select(sign_of(b, x, _F64), negated(b, value, _F64), value)


@op("ex2.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def ex2_single(b: Builder, form: Form, x: Value) -> Value:
    """2**x. Bound: 2 ulp."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(exp2(b, b.widen(x))))


@op("lg2.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def lg2_single(b: Builder, form: Form, x: Value) -> Value:
    """log2(x). Bound: 2**-22 absolute near 1."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(log2(b, b.widen(x))))


@op("sin.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
@op("cos.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def sine(b: Builder, form: Form, x: Value) -> Value:
    """sin(x) or cos(x). Bound: 2**-20.5 absolute inside -pi .. pi."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(sine_cosine(b, b.widen(x), int(form.base == "cos"))))


@op("tanh.approx", same(F32, 1), Pipe.SFU, flops=1)
def tanh_single(b: Builder, form: Form, x: Value) -> Value:
    """tanh(x). Bound: 2**-11 relative."""
    return b.narrow(tanh(b, b.widen(x)))


@op("ex2.approx", same(_HALF, 1), Pipe.SFU, "ftz", flops=1)
@op("tanh.approx", same(_HALF, 1), Pipe.SFU, flops=1)
def half_function(b: Builder, form: Form, x: Value) -> Value:
    """2**x or tanh(x) on each half."""
    function = exp2 if form.base == "ex2" else tanh

    def one(pattern: Value) -> Value:
        single = half_as_float(b, form.type, pattern)
        return half_from_float(b, form.type, b.narrow(function(b, b.widen(single))))

    return each_half(b, form, (x,), one)


@op("rcp.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def rcp_single(b: Builder, form: Form, x: Value) -> Value:
    """1 / x. Bound: 1 ulp."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.fdiv(b.const(1.0, _F32), x))


@op("sqrt.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def sqrt_single(b: Builder, form: Form, x: Value) -> Value:
    """The square root. Bound: 2**-23 relative."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.sqrt(x))


@op("rsqrt.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def rsqrt_single(b: Builder, form: Form, x: Value) -> Value:
    """1 / sqrt(x). Bound: 2**-22.9 relative."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(b.fdiv(b.const(1.0, _F64), b.sqrt(b.widen(x)))))


@op("rcp.approx.ftz", same(F64, 1), Pipe.SFU, flops=1)
@op("rsqrt.approx", same(F64, 1), Pipe.SFU, "ftz", flops=1)
def wide_reciprocal(b: Builder, form: Form, x: Value) -> Value:
    """1 / x or 1 / sqrt(x); `.ftz` forms read and write the upper 32 bits only."""
    upper = b.const(~0xFFFFFFFF, _I64)

    def cut(value: Value) -> Value:
        return b.bitcast(b.and_(b.bitcast(value, _I64), upper), _F64) if "ftz" in form.modifiers else value

    x = cut(x)
    result = b.fdiv(b.const(1.0, _F64), b.sqrt(x) if form.base == "rsqrt" else x)
    return b.select(b.compare("uno", result, result), result, cut(result))


@op("div.full", same(F32), Pipe.SFU, "ftz", flops=1)
def div_full(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x / y. Bound: 2 ulp."""
    x, y = flushed(b, form, x, y)
    return finish(b, form, b.fdiv(x, y))


@op("div.approx", same(F32), Pipe.SFU, "ftz", flops=1)
def div_approx(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x / y, for |y| above 2**126 zero (a NaN for infinite x), as the ISA has it. Bound: 2 ulp."""
    x, y = flushed(b, form, x, y)
    size = magnitude(b, y, _F32)
    huge = b.compare("gt", size, b.const(2.0**126, _F32))
    huge = b.and_(huge, b.compare("lt", size, b.const(float("inf"), _F32)))
    quotient = b.fmul(x, b.const(0.0, _F32))
    quotient = b.select(sign_of(b, y, _F32), negated(b, quotient, _F32), quotient)
    quotient = b.select(b.compare("uno", quotient, quotient), b.const(float("nan"), _F32), quotient)
    return finish(b, form, b.select(huge, quotient, b.fdiv(x, y)))
