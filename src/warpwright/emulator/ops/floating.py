"""Single and double precision arithmetic, correctly rounded."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import F32, F64, Family, lane_type, same, shaped
from warpwright.emulator.ops.rounding import (
    directed,
    direction,
    finish,
    flushed,
    magnitude,
    narrow_by,
    negated,
    sign_of,
    to_odd,
    two_sum,
)
from warpwright.emulator.ops.table import Form, Pipe

FAMILY = Family("Floating Point Instructions")
op = FAMILY.op

_MODES = "rn rz rm rp"
_SINGLE = f"{_MODES} ftz sat"
_WIDE = LaneType.F64


@op("add", same(F32), Pipe.FMA, _SINGLE, flops=1)
@op("add", same(F64), Pipe.FP64, _MODES, flops=1)
def add(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x + y."""
    return _sum(b, form, x, y)


@op("sub", same(F32), Pipe.FMA, _SINGLE, flops=1)
@op("sub", same(F64), Pipe.FP64, _MODES, flops=1)
def sub(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x - y."""
    return _sum(b, form, x, negated(b, y, lane_type(form.type)))


def _sum(b: Builder, form: Form, x: Value, y: Value) -> Value:
    mode, kind = direction(form), lane_type(form.type)
    x, y = flushed(b, form, x, y)
    if mode is None:
        return finish(b, form, b.fadd(x, y), kind)
    if kind is _WIDE:
        total, error = two_sum(b, x, y)
        infinite = b.compare("eq", magnitude(b, total, kind), b.const(float("inf"), kind))
        # An overflowed sum has no error term; its exact value lies below the infinity.
        overflowed = b.and_(infinite, b.and_(_finite(b, x, kind), _finite(b, y, kind)))
        error = b.select(overflowed, negated(b, total, kind), error)
        return _exact_zero(b, form, directed(b, total, error, mode, kind), (x, y, kind))
    return finish(b, form, _narrowed_sum(b, form, b.widen(x), b.widen(y)))


def _narrowed_sum(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """F64 x + y, rounded once to F32 in the form's directed mode."""
    odd = to_odd(b, *two_sum(b, x, y))
    return narrow_by(b, _exact_zero(b, form, odd, (x, y, _WIDE)), direction(form))


def _exact_zero(b: Builder, form: Form, total: Value, terms: tuple[Value, Value, LaneType]) -> Value:
    """A sum of opposite terms is -0 when rounding down, +0 otherwise."""
    x, y, kind = terms
    if "rm" not in form.modifiers:
        return total
    opposite = b.xor(sign_of(b, x, kind), sign_of(b, y, kind))
    zero = b.const(0.0, kind)
    return b.select(b.and_(opposite, b.compare("eq", total, zero)), negated(b, zero, kind), total)


def _finite(b: Builder, x: Value, kind: LaneType) -> Value:
    return b.compare("lt", magnitude(b, x, kind), b.const(float("inf"), kind))


@op("mul", same(F32), Pipe.FMA, _SINGLE, flops=1)
@op("mul", same(F64), Pipe.FP64, _MODES, flops=1)
def mul(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x * y."""
    mode, kind = direction(form), lane_type(form.type)
    x, y = flushed(b, form, x, y)
    if mode is None:
        return finish(b, form, b.fmul(x, y), kind)
    if kind is _WIDE:
        product = b.fmul(x, y)
        return directed(b, product, _product_error(b, x, y, product), mode, kind)
    return finish(b, form, narrow_by(b, b.fmul(b.widen(x), b.widen(y)), mode))


def _product_error(b: Builder, x: Value, y: Value, product: Value) -> Value:
    """F64 x * y - product, by its sign; small products are scaled up first so that the error does not underflow."""
    small = b.compare("lt", magnitude(b, product, _WIDE), b.const(2.0**-900, _WIDE))
    scale = b.select(small, b.const(2.0**600, _WIDE), b.const(1.0, _WIDE))
    scaled = b.fmul(b.fmul(product, scale), scale)
    return b.fma(b.fmul(x, scale), b.fmul(y, scale), negated(b, scaled, _WIDE))


@op("fma", same(F32, 3), Pipe.FMA, _SINGLE, flops=2)
@op("mad", same(F32, 3), Pipe.FMA, _SINGLE, flops=2)
@op("fma", same(F64, 3), Pipe.FP64, "rn", flops=2)
@op("mad", same(F64, 3), Pipe.FP64, "rn", flops=2)
def fma(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """x * y + z, rounded once."""
    x, y, z = flushed(b, form, x, y, z)
    if direction(form) is None:
        return finish(b, form, b.fma(x, y, z), lane_type(form.type))
    product = b.fmul(b.widen(x), b.widen(y))  # exact: 48 bits
    return finish(b, form, _narrowed_sum(b, form, product, b.widen(z)))


@op("div", same(F32), Pipe.SFU, f"{_MODES} ftz", flops=1)
@op("div", same(F64), Pipe.FP64, _MODES, flops=1)
def div(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x / y."""
    kind = lane_type(form.type)
    x, y = flushed(b, form, x, y)
    return finish(b, form, _quotient(b, direction(form), (x, y), kind), kind)


def _quotient(b: Builder, mode: str | None, terms: tuple[Value, Value], kind: LaneType) -> Value:
    x, y = terms
    if mode is None:
        return b.fdiv(x, y)
    if kind is not _WIDE:
        x, y = b.widen(x), b.widen(y)
    quotient = b.fdiv(x, y)
    remainder = _remainder(b, x, y, quotient)
    error = b.select(sign_of(b, y, _WIDE), negated(b, remainder, _WIDE), remainder)
    if kind is _WIDE:
        return directed(b, quotient, error, mode, kind)
    return narrow_by(b, to_odd(b, quotient, error), mode)


def _remainder(b: Builder, x: Value, y: Value, quotient: Value) -> Value:
    """F64 x - quotient * y, by its sign; terms are brought to moderate size so that nothing underflows."""
    x_scale, y_scale = _moderation(b, x), _moderation(b, y)
    scaled = b.fmul(quotient, b.fmul(x_scale, b.fdiv(b.const(1.0, _WIDE), y_scale)))
    return b.fma(negated(b, scaled, _WIDE), b.fmul(y, y_scale), b.fmul(x, x_scale))


def _moderation(b: Builder, x: Value) -> Value:
    """A power of two that takes an F64 of extreme size to the middle of the range."""
    size, one = magnitude(b, x, _WIDE), b.const(1.0, _WIDE)
    down = b.select(b.compare("gt", size, b.const(2.0**400, _WIDE)), b.const(2.0**-511, _WIDE), one)
    return b.select(b.compare("lt", size, b.const(2.0**-400, _WIDE)), b.const(2.0**511, _WIDE), down)


@op("rcp", same(F32, 1), Pipe.SFU, f"{_MODES} ftz", flops=1)
@op("rcp", same(F64, 1), Pipe.FP64, _MODES, flops=1)
def rcp(b: Builder, form: Form, x: Value) -> Value:
    """1 / x."""
    kind = lane_type(form.type)
    (x,) = flushed(b, form, x)
    return finish(b, form, _quotient(b, direction(form), (b.const(1.0, kind), x), kind), kind)


@op("sqrt", same(F32, 1), Pipe.SFU, f"{_MODES} ftz", flops=1)
@op("sqrt", same(F64, 1), Pipe.FP64, _MODES, flops=1)
def sqrt(b: Builder, form: Form, x: Value) -> Value:
    """The square root; NaN below 0."""
    mode, kind = direction(form), lane_type(form.type)
    (x,) = flushed(b, form, x)
    if mode is None:
        return finish(b, form, b.sqrt(x), kind)
    wide = x if kind is _WIDE else b.widen(x)
    root = b.sqrt(wide)
    small = b.compare("lt", wide, b.const(2.0**-400, _WIDE))  # scaled, lest the error underflow
    scaled = b.fmul(root, b.select(small, b.const(2.0**256, _WIDE), b.const(1.0, _WIDE)))
    square = b.fmul(wide, b.select(small, b.const(2.0**512, _WIDE), b.const(1.0, _WIDE)))
    error = b.fma(negated(b, scaled, _WIDE), scaled, square)
    if kind is _WIDE:
        return directed(b, root, error, mode, kind)
    return finish(b, form, narrow_by(b, to_odd(b, root, error), mode))


@op("neg", same(F32, 1), Pipe.FMA, "ftz")
@op("neg", same(F64, 1), Pipe.FP64)
def neg(b: Builder, form: Form, x: Value) -> Value:
    """-x by its sign bit."""
    (x,) = flushed(b, form, x)
    return negated(b, x, lane_type(form.type))


@op("abs", same(F32, 1), Pipe.FMA, "ftz")
@op("abs", same(F64, 1), Pipe.FP64)
def absolute(b: Builder, form: Form, x: Value) -> Value:
    """|x| by its sign bit."""
    (x,) = flushed(b, form, x)
    return magnitude(b, x, lane_type(form.type))


_EXTREMES = "ftz NaN xorsign abs"


@op("min", same(F32), Pipe.ALU, _EXTREMES)
@op("max", same(F32), Pipe.ALU, _EXTREMES)
@op("min", same(F64), Pipe.FP64)
@op("max", same(F64), Pipe.FP64)
def extreme(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """The smaller or larger; -0 below +0; a NaN loses unless `.NaN`; `.xorsign.abs` takes magnitudes and joins signs."""
    kind = lane_type(form.type)
    x, y = flushed(b, form, x, y)
    sign = b.xor(sign_of(b, x, kind), sign_of(b, y, kind))
    if "xorsign" in form.modifiers:
        x, y = magnitude(b, x, kind), magnitude(b, y, kind)
    result = extreme_of(b, form, (x, y), kind)
    if "xorsign" not in form.modifiers:
        return result
    return b.select(sign, negated(b, result, kind), result)


def extreme_of(b: Builder, form: Form, pair: tuple[Value, Value], kind: LaneType) -> Value:
    """Minimum or maximum (by the form's base) of two floats with the PTX rules for NaN and signed zero."""
    x, y = pair
    bits = LaneType[f"I{kind.bits}"]
    equal = b.compare("eq", x, y)
    x_negative = b.compare("slt", b.bitcast(x, bits), b.const(0, bits))
    if form.base == "min":
        first = b.or_(b.compare("lt", x, y), b.and_(equal, x_negative))
    else:
        first = b.or_(b.compare("gt", x, y), b.and_(equal, b.not_(x_negative)))
    chosen = b.select(first, x, y)
    nan = b.const(float("nan"), kind)
    x_nan, y_nan = b.compare("uno", x, x), b.compare("uno", y, y)
    if "NaN" in form.modifiers:
        return b.select(b.or_(x_nan, y_nan), nan, chosen)
    chosen = b.select(x_nan, y, b.select(y_nan, x, chosen))
    return b.select(b.and_(x_nan, y_nan), nan, chosen)


@op("copysign", same(F32), Pipe.ALU)
@op("copysign", same(F64), Pipe.ALU)
def copysign(b: Builder, form: Form, sign: Value, x: Value) -> Value:
    """|x| with the sign of the first operand."""
    kind = lane_type(form.type)
    positive = magnitude(b, x, kind)
    return b.select(sign_of(b, sign, kind), negated(b, positive, kind), positive)


_TESTS = "finite infinite number notanumber normal subnormal"
_LEAST_NORMAL = {LaneType.F32: 2.0**-126, LaneType.F64: 2.0**-1022}


@op("testp", shaped(F32 | F64, (LaneType.I1,), (None,)), Pipe.ALU, _TESTS)
def testp(b: Builder, form: Form, x: Value) -> Value:
    """Whether x is of the class that the modifier names."""
    kind = lane_type(form.type)
    size = magnitude(b, x, kind)
    infinity, least = b.const(float("inf"), kind), b.const(_LEAST_NORMAL[kind], kind)
    finite = b.compare("lt", size, infinity)
    tests = {
        "finite": lambda: finite,
        "infinite": lambda: b.compare("eq", size, infinity),
        "number": lambda: b.not_(b.compare("uno", x, x)),
        "notanumber": lambda: b.compare("uno", x, x),
        "normal": lambda: b.and_(finite, b.compare("ge", size, least)),
        "subnormal": lambda: b.and_(b.compare("lt", size, least), b.compare("gt", size, b.const(0.0, kind))),
    }
    return tests[next(token for token in form.tokens if token in tests)]()
