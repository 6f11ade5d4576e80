"""Float pieces that several families share: flushing, saturation, exact sums and directed rounding.

Directed roundings of f32 go through F64 with round-to-odd, after which any rounding to 24 bits is right
(S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Transactions on Computers 57, 2008).
"""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.table import Form

F32 = LaneType.F32
F64 = LaneType.F64
_INTEGER_OF = {F32: LaneType.I32, F64: LaneType.I64}

DIRECTED = ("rz", "rm", "rp")


def direction(form: Form) -> str | None:
    """`rz`, `rm` or `rp` if the form asks for it; None is nearest even."""
    return next((mode for mode in DIRECTED if mode in form.modifiers), None)


def magnitude(b: Builder, x: Value, kind: LaneType) -> Value:
    """|x| by clearing the sign bit."""
    bits = _INTEGER_OF[kind]
    return b.bitcast(b.and_(b.bitcast(x, bits), b.const((1 << (bits.bits - 1)) - 1, bits)), kind)


def negated(b: Builder, x: Value, kind: LaneType) -> Value:
    """-x by turning the sign bit."""
    bits = _INTEGER_OF[kind]
    return b.bitcast(b.xor(b.bitcast(x, bits), b.const(1 << (bits.bits - 1), bits)), kind)


def sign_of(b: Builder, x: Value, kind: LaneType) -> Value:
    """I1: the sign bit."""
    bits = _INTEGER_OF[kind]
    return b.compare("slt", b.bitcast(x, bits), b.const(0, bits))


def flush(b: Builder, x: Value) -> Value:
    """F32 subnormals to zero of their sign."""
    bits = b.bitcast(x, LaneType.I32)
    exponent = b.and_(bits, b.const(0x7F800000, LaneType.I32))
    small = b.compare("eq", exponent, b.const(0, LaneType.I32))
    return b.bitcast(b.select(small, b.and_(bits, b.const(1 << 31, LaneType.I32)), bits), F32)


def flushed(b: Builder, form: Form, *values: Value) -> tuple[Value, ...]:
    """Inputs of an F32 operation, flushed if the form has `.ftz`."""
    return tuple(flush(b, value) for value in values) if "ftz" in form.modifiers else values


def finish(b: Builder, form: Form, x: Value, kind: LaneType = F32) -> Value:
    """`.ftz` and `.sat` on a result."""
    if "ftz" in form.modifiers and kind is F32:
        x = flush(b, x)
    if "sat" in form.modifiers:
        x = saturate(b, x, kind)
    return x


def saturate(b: Builder, x: Value, kind: LaneType) -> Value:
    """Clamped to 0..1; a NaN becomes +0."""
    zero, one = b.const(0.0, kind), b.const(1.0, kind)
    positive = b.select(b.compare("gt", x, zero), x, zero)
    return b.select(b.compare("gt", positive, one), one, positive)


def two_sum(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """F: the rounded sum and its exact error (Knuth)."""
    total = b.fadd(x, y)
    part = b.fsub(total, x)
    return total, b.fadd(b.fsub(x, b.fsub(total, part)), b.fsub(y, part))


def to_odd(b: Builder, value: Value, error: Value) -> Value:
    """F64 value + error rounded to odd: `value` if exact or odd, else its neighbour on the side of the error.

    An infinite value stays (its error is a NaN, which compares as exact).
    """
    one, zero = b.const(1, LaneType.I64), b.const(0.0, F64)
    bits = b.bitcast(value, LaneType.I64)
    even = b.compare("eq", b.and_(bits, one), b.const(0, LaneType.I64))
    inexact = b.or_(b.compare("gt", error, zero), b.compare("lt", error, zero))
    finite = b.compare("lt", magnitude(b, value, F64), b.const(float("inf"), F64))
    move = b.and_(b.and_(even, inexact), finite)
    return b.select(move, step(b, value, b.compare("gt", error, zero), F64), value)


def step(b: Builder, value: Value, upward: Value, kind: LaneType) -> Value:
    """The next float above (upward) or below. Not for infinities and NaN."""
    bits_type = _INTEGER_OF[kind]
    one, zero = b.const(1, bits_type), b.const(0, bits_type)
    bits = b.bitcast(value, bits_type)
    negative = b.compare("slt", bits, zero)
    away = b.xor(upward, negative)
    moved = b.select(away, b.add(bits, one), b.sub(bits, one))
    is_zero = b.compare("eq", value, b.const(0.0, kind))
    least = b.select(upward, one, b.const((1 << (bits_type.bits - 1)) | 1, bits_type))
    return b.bitcast(b.select(is_zero, least, moved), kind)


def directed(b: Builder, rounded: Value, error: Value, mode: str, kind: LaneType) -> Value:
    """A nearest-even result moved to the directed one. error: only its sign counts, exact minus rounded.

    Overflow to infinity of a finite exact value steps back to the largest finite number where the mode asks for it.
    """
    zero = b.const(0.0, kind)
    above, below = b.compare("gt", error, zero), b.compare("lt", error, zero)
    if mode == "rm":
        return b.select(below, step(b, rounded, b.const(0, LaneType.I1), kind), rounded)
    if mode == "rp":
        return b.select(above, step(b, rounded, b.const(1, LaneType.I1), kind), rounded)
    bits_type = _INTEGER_OF[kind]
    sign = b.compare("slt", b.bitcast(rounded, bits_type), b.const(0, bits_type))
    outward = b.select(sign, above, below)
    inward = b.bitcast(b.sub(b.bitcast(rounded, bits_type), b.const(1, bits_type)), kind)
    return b.select(outward, inward, rounded)


def narrow_by(b: Builder, exact: Value, mode: str | None) -> Value:
    """F64 to F32 in a rounding mode (None: nearest even)."""
    rounded = b.narrow(exact)
    if mode is None:
        return rounded
    back = b.widen(rounded)
    return _directed_narrow(b, rounded, exact, (back, mode))


def _directed_narrow(b: Builder, rounded: Value, exact: Value, rest: tuple[Value, str]) -> Value:
    back, mode = rest
    above, below = b.compare("gt", exact, back), b.compare("lt", exact, back)
    one, zero = b.const(1.0, F32), b.const(0.0, F32)
    sign = b.select(above, one, b.select(below, negated(b, one, F32), zero))
    return directed(b, rounded, sign, mode, F32)
