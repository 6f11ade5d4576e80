"""Approximate functions: evaluated in f64 by a fixed sequence of operations and rounded once to f32.

The results are nearer to the exact value than the hardware's (PTX ISA gives bounds, not bits), and every executor
computes the same bits.
"""

import math

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import F32, F64, Family, same
from warpwright.emulator.ops.half_arithmetic import HALVES, each_half
from warpwright.emulator.ops.rounding import finish, flushed, magnitude, negated, sign_of
from warpwright.emulator.ops.table import Form, Pipe

FAMILY = Family("Floating Point Instructions")
op = FAMILY.op

_F32, _F64, _I64 = LaneType.F32, LaneType.F64, LaneType.I64
_INFINITY = float("inf")

_EXP2 = tuple(math.log(2.0) ** k / math.factorial(k) for k in range(14))
"""Taylor series of 2**r; the first term left out is below 4e-18 for |r| <= 0.5."""
_ATANH = tuple(2.0 / math.log(2.0) / (2 * k + 1) for k in range(12))
"""2 / ln 2 * atanh(s) / s in s**2; |s| <= 0.172."""
_SIN = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(9))
_COS = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(9))
"""Taylor series in r**2; |r| <= pi / 4."""
_HALF_PI = (1.5707963267341256, 6.077100506506192e-11, 2.0222662487959506e-21)
"""pi / 2 in three parts, the first two of 33 bits (W. J. Cody and W. Waite, 1980)."""
_REDUCED_BELOW = 2.0**30
"""Beyond this the argument reduction has no bits left; the hardware has none either."""


def _polynomial(b: Builder, coefficients: tuple[float, ...], x: Value) -> Value:
    total = b.const(coefficients[-1], _F64)
    for coefficient in reversed(coefficients[:-1]):
        total = b.fadd(b.fmul(total, x), b.const(coefficient, _F64))
    return total


def _clamp(b: Builder, x: Value, limit: float) -> Value:
    low, high = b.const(-limit, _F64), b.const(limit, _F64)
    x = b.select(b.compare("lt", x, low), low, x)
    return b.select(b.compare("gt", x, high), high, x)


def _or_nan(b: Builder, x: Value, result: Value) -> Value:
    """NaN where the f64 input x is."""
    return b.select(b.compare("uno", x, x), b.const(float("nan"), _F64), result)


def exp2_wide(b: Builder, x: Value) -> Value:
    """2**x in f64; |x| beyond 1000 counts as 1000. NaN stays."""
    number = b.select(b.compare("uno", x, x), b.const(0.0, _F64), x)
    clamped = _clamp(b, number, 1000.0)
    whole = b.round_even(clamped)
    fraction = _polynomial(b, _EXP2, b.fsub(clamped, whole))
    exponent = b.add(b.float_to_signed(whole, _I64), b.const(1023, _I64))
    scale = b.bitcast(b.shl(exponent, b.const(52, _I64)), _F64)
    return _or_nan(b, x, b.fmul(fraction, scale))


def log2_wide(b: Builder, x: Value) -> Value:
    """log2 of an f64 that is normal, 0, infinite, negative or NaN."""
    bits = b.bitcast(x, _I64)
    one = b.const(1.0, _F64)
    # the exponent such that the mantissa lies between sqrt(1/2) and sqrt(2)
    offset = b.sub(bits, b.const(0x3FE6A09E667F3BCD, _I64))
    exponent = b.ashr(offset, b.const(52, _I64))
    mantissa = b.bitcast(b.sub(bits, b.shl(exponent, b.const(52, _I64))), _F64)
    s = b.fdiv(b.fsub(mantissa, one), b.fadd(mantissa, one))
    series = b.fmul(s, _polynomial(b, _ATANH, b.fmul(s, s)))
    result = b.fadd(b.signed_to_float(exponent, _F64), series)
    zero, infinity = b.const(0.0, _F64), b.const(_INFINITY, _F64)
    result = b.select(b.compare("eq", x, zero), b.const(-_INFINITY, _F64), result)
    result = b.select(b.compare("eq", x, infinity), infinity, result)
    invalid = b.or_(b.compare("uno", x, x), b.compare("lt", x, zero))
    return b.select(invalid, b.const(float("nan"), _F64), result)


@op("ex2.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def ex2(b: Builder, form: Form, x: Value) -> Value:
    """2**x."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(exp2_wide(b, b.widen(x))))


@op("lg2.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def lg2(b: Builder, form: Form, x: Value) -> Value:
    """log2(x)."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(log2_wide(b, b.widen(x))))


def _quadrant(b: Builder, x: Value) -> tuple[Value, Value, Value]:
    """(quarter turns as I64, sine and cosine of what is left) of an f64."""
    reducible = b.compare("lt", magnitude(b, x, _F64), b.const(_REDUCED_BELOW, _F64))
    x = b.select(reducible, x, b.const(0.0, _F64))
    turns = b.round_even(b.fmul(x, b.const(2.0 / math.pi, _F64)))
    for part in _HALF_PI:
        x = b.fsub(x, b.fmul(turns, b.const(part, _F64)))
    square = b.fmul(x, x)
    sine = b.fmul(x, _polynomial(b, _SIN, square))
    return b.float_to_signed(turns, _I64), sine, _polynomial(b, _COS, square)


@op("sin.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
@op("cos.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def sine_or_cosine(b: Builder, form: Form, x: Value) -> Value:
    """sin(x) or cos(x); NaN for infinities. Angles beyond 2**30 count as 0."""
    (x,) = flushed(b, form, x)
    wide = b.widen(x)
    turns, sine, cosine = _quadrant(b, wide)
    if form.base == "cos":
        turns = b.add(turns, b.const(1, _I64))
    one, two, zero = (b.const(n, _I64) for n in (1, 2, 0))
    swap = b.compare("ne", b.and_(turns, one), zero)
    flip = b.compare("ne", b.and_(turns, two), zero)
    value = b.select(swap, cosine, sine)
    value = b.select(flip, negated(b, value, _F64), value)
    if form.base == "sin":  # the sine of -0 is -0
        value = b.select(b.compare("eq", wide, b.const(0.0, _F64)), wide, value)
    invalid = b.not_(b.compare("lt", magnitude(b, wide, _F64), b.const(_INFINITY, _F64)))
    return finish(b, form, b.narrow(b.select(invalid, b.const(float("nan"), _F64), value)))


def tanh_wide(b: Builder, x: Value) -> Value:
    """tanh of an f64: (1 - t) / (1 + t) with t = exp(-2 |x|); tiny arguments are their own result."""
    size = magnitude(b, x, _F64)
    t = exp2_wide(b, b.fmul(size, b.const(-2.0 / math.log(2.0), _F64)))
    one = b.const(1.0, _F64)
    value = b.fdiv(b.fsub(one, t), b.fadd(one, t))
    value = b.select(b.compare("lt", size, b.const(1e-4, _F64)), size, value)
    return _or_nan(b, x, b.select(sign_of(b, x, _F64), negated(b, value, _F64), value))


@op("tanh.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def tanh(b: Builder, form: Form, x: Value) -> Value:
    """tanh(x)."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(tanh_wide(b, b.widen(x))))


@op("ex2.approx", same(HALVES, 1), Pipe.SFU, "ftz", flops=1)
@op("tanh.approx", same(HALVES, 1), Pipe.SFU, flops=1)
def half_function(b: Builder, form: Form, x: Value) -> Value:
    """2**x or tanh(x) of a half, or of both halves of a pair."""
    function = exp2_wide if form.base == "ex2" else tanh_wide
    return each_half(b, form, lambda v: b.narrow(function(b, b.widen(v))), (x,))


@op("rsqrt.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def rsqrt(b: Builder, form: Form, x: Value) -> Value:
    """1 / sqrt(x)."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.narrow(b.fdiv(b.const(1.0, _F64), b.sqrt(b.widen(x)))))


@op("rsqrt.approx", same(F64, 1), Pipe.SFU, "ftz", flops=1)
def rsqrt_wide(b: Builder, form: Form, x: Value) -> Value:
    """1 / sqrt(x), in full precision."""
    x = _flush_wide(b, x) if "ftz" in form.modifiers else x
    return b.fdiv(b.const(1.0, _F64), b.sqrt(x))


def _flush_wide(b: Builder, x: Value) -> Value:
    """F64 subnormals to zero of their sign."""
    small = b.compare("lt", magnitude(b, x, _F64), b.const(2.0**-1022, _F64))
    zero = b.select(sign_of(b, x, _F64), b.const(-0.0, _F64), b.const(0.0, _F64))
    return b.select(small, zero, x)


@op("rcp.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
@op("rcp.approx.ftz", same(F64, 1), Pipe.SFU, flops=1)
def rcp(b: Builder, form: Form, x: Value) -> Value:
    """1 / x, in full precision."""
    if form.type == "f64":
        return _flush_wide(b, b.fdiv(b.const(1.0, _F64), _flush_wide(b, x)))
    (x,) = flushed(b, form, x)
    return finish(b, form, b.fdiv(b.const(1.0, _F32), x))


@op("sqrt.approx", same(F32, 1), Pipe.SFU, "ftz", flops=1)
def sqrt(b: Builder, form: Form, x: Value) -> Value:
    """The square root, in full precision."""
    (x,) = flushed(b, form, x)
    return finish(b, form, b.sqrt(x))


@op("div.full", same(F32), Pipe.SFU, "ftz", flops=1)
def div_full(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x / y over the full range."""
    x, y = flushed(b, form, x, y)
    return finish(b, form, b.fdiv(x, y))


@op("div.approx", same(F32), Pipe.SFU, "ftz", flops=1)
def div_approx(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x / y; 0 for a divisor beyond 2**126, as the ISA has it (and NaN for an infinite dividend then)."""
    x, y = flushed(b, form, x, y)
    size = magnitude(b, y, _F32)
    finite = b.compare("lt", size, b.const(_INFINITY, _F32))
    huge = b.and_(b.compare("gt", size, b.const(2.0**126, _F32)), finite)
    nothing = b.select(sign_of(b, y, _F32), b.const(-0.0, _F32), b.const(0.0, _F32))
    return finish(b, form, b.select(huge, b.fmul(x, nothing), b.fdiv(x, y)))
