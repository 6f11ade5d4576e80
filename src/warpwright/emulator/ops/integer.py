"""Integer arithmetic. Carry chains see the condition code as an ordinary predicate: `flow` adds `%cc` to the operands."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import INTEGERS, SIGNED, Family, Shape, double_width, is_signed, lane_type, same
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Integer Arithmetic Instructions")
op = FAMILY.op

_NARROW = frozenset({"s16", "u16", "s32", "u32"})


@op("add", same(INTEGERS), Pipe.ALU)
def add(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x + y modulo 2**bits."""
    return b.add(x, y)


@op("sub", same(INTEGERS), Pipe.ALU)
def sub(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x - y modulo 2**bits."""
    return b.sub(x, y)


@op("mul.lo", same(INTEGERS), Pipe.FMA)
def mul_lo(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """Low half of x * y."""
    return b.mul(x, y)


@op("mad.lo", same(INTEGERS, 3), Pipe.FMA)
def mad_lo(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """Low half of x * y, plus z."""
    return b.add(b.mul(x, y), z)


def extend(b: Builder, form: Form, x: Value, kind: LaneType) -> Value:
    """To a wider type, by the sign of the form's type."""
    return b.sext(x, kind) if is_signed(form.type) else b.zext(x, kind)


def high_half(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """High half of the exact product."""
    kind = lane_type(form.type)
    if kind is LaneType.I64:
        return _high_half_64(b, form, x, y)
    wide = double_width(kind)
    product = b.mul(extend(b, form, x, wide), extend(b, form, y, wide))
    return b.trunc(b.lshr(product, b.const(kind.bits, wide)), kind)


def _high_half_64(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """Schoolbook on 32-bit halves; a signed operand's sign is taken out afterwards."""
    half, low = b.const(32, LaneType.I64), b.const(0xFFFFFFFF, LaneType.I64)
    x_low, x_high = b.and_(x, low), b.lshr(x, half)
    y_low, y_high = b.and_(y, low), b.lshr(y, half)
    middle = b.add(b.mul(x_high, y_low), b.lshr(b.mul(x_low, y_low), half))
    cross = b.add(b.mul(x_low, y_high), b.and_(middle, low))
    high = b.add(b.add(b.mul(x_high, y_high), b.lshr(middle, half)), b.lshr(cross, half))
    if not is_signed(form.type):
        return high
    sign = b.const(63, LaneType.I64)
    high = b.sub(high, b.and_(b.ashr(x, sign), y))
    return b.sub(high, b.and_(b.ashr(y, sign), x))


@op("mul.hi", same(INTEGERS), Pipe.FMA)
def mul_hi(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """High half of x * y."""
    return high_half(b, form, x, y)


@op("mad.hi", same(INTEGERS, 3), Pipe.FMA)
def mad_hi(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """High half of x * y, plus z."""
    return b.add(high_half(b, form, x, y), z)


def _wide(form: Form) -> LaneType:
    return double_width(lane_type(form.type))


@op("mul.wide", Shape(_NARROW, lambda f: Signature((_wide(f),), (lane_type(f.type),) * 2)), Pipe.FMA)
def mul_wide(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """The exact product, twice as wide."""
    return b.mul(extend(b, form, x, _wide(form)), extend(b, form, y, _wide(form)))


@op("mad.wide", Shape(_NARROW, lambda f: Signature((_wide(f),), (*(lane_type(f.type),) * 2, _wide(f)))), Pipe.FMA)
def mad_wide(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """The exact product plus a twice as wide z."""
    return b.add(mul_wide(b, form, x, y), z)


def _nonzero(b: Builder, form: Form, y: Value) -> tuple[Value, Value]:
    kind = lane_type(form.type)
    zero = b.compare("eq", y, b.const(0, kind))
    return zero, b.select(zero, b.const(1, kind), y)


def _signed_divisor(b: Builder, form: Form, x: Value, y: Value) -> tuple[Value, Value, Value]:
    """Where y is 0, where MIN / -1 overflows, and a divisor that does neither."""
    kind = lane_type(form.type)
    zero, safe = _nonzero(b, form, y)
    least = b.compare("eq", x, b.const(1 << (kind.bits - 1), kind))
    overflow = b.and_(least, b.compare("eq", y, b.const(-1, kind)))
    return zero, overflow, b.select(overflow, b.const(1, kind), safe)


@op("div", same(INTEGERS), Pipe.ALU)
def div(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """Quotient toward zero. Undefined by the ISA: x / 0 gives all ones, MIN / -1 gives MIN, as GPUs do."""
    ones = b.const(-1, lane_type(form.type))
    if not is_signed(form.type):
        zero, safe = _nonzero(b, form, y)
        return b.select(zero, ones, b.udiv(x, safe))
    zero, _, safe = _signed_divisor(b, form, x, y)
    return b.select(zero, ones, b.sdiv(x, safe))


@op("rem", same(INTEGERS), Pipe.ALU)
def rem(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """Remainder with the sign of x. Undefined by the ISA: x % 0 gives x, MIN % -1 gives 0."""
    if not is_signed(form.type):
        zero, safe = _nonzero(b, form, y)
        return b.select(zero, x, b.urem(x, safe))
    zero, _, safe = _signed_divisor(b, form, x, y)
    return b.select(zero, x, b.srem(x, safe))


@op("neg", same(SIGNED, 1), Pipe.ALU)
def neg(b: Builder, form: Form, x: Value) -> Value:
    """-x modulo 2**bits."""
    return b.sub(b.const(0, lane_type(form.type)), x)


@op("abs", same(SIGNED, 1), Pipe.ALU)
def absolute(b: Builder, form: Form, x: Value) -> Value:
    """|x|; MIN stays MIN."""
    zero = b.const(0, lane_type(form.type))
    return b.select(b.compare("slt", x, zero), b.sub(zero, x), x)


def smaller(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """I1: x < y by the sign of the form's type."""
    return b.compare("slt" if is_signed(form.type) else "ult", x, y)


@op("min", same(INTEGERS), Pipe.ALU)
def minimum(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """The smaller."""
    return b.select(smaller(b, form, x, y), x, y)


@op("max", same(INTEGERS), Pipe.ALU)
def maximum(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """The larger."""
    return b.select(smaller(b, form, x, y), y, x)


@op("sad", same(INTEGERS, 3), Pipe.ALU)
def sad(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """|x - y| + z."""
    less = smaller(b, form, x, y)
    return b.add(b.select(less, b.sub(y, x), b.sub(x, y)), z)


@op("add.sat", same({"s32"}), Pipe.ALU)
@op("sub.sat", same({"s32"}), Pipe.ALU)
def saturating(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """Sum or difference clamped to s32."""
    wide_x, wide_y = b.sext(x, LaneType.I64), b.sext(y, LaneType.I64)
    exact = b.add(wide_x, wide_y) if form.base == "add" else b.sub(wide_x, wide_y)
    low, high = b.const(-(1 << 31), LaneType.I64), b.const((1 << 31) - 1, LaneType.I64)
    exact = b.select(b.compare("slt", exact, low), low, exact)
    return b.trunc(b.select(b.compare("sgt", exact, high), high, exact), LaneType.I32)


@op("mul24.lo", same({"s32", "u32"}), Pipe.FMA)
def mul24_lo(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """Low 32 bits of the product of the low 24 bits."""
    return b.mul(_low24(b, form, x), _low24(b, form, y))


@op("mad24.lo", same({"s32", "u32"}, 3), Pipe.FMA)
def mad24_lo(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """Low 32 bits of the product of the low 24 bits, plus z."""
    return b.add(mul24_lo(b, form, x, y), z)


def _low24(b: Builder, form: Form, x: Value) -> Value:
    eight = b.const(8, LaneType.I32)
    upper = b.shl(x, eight)
    return b.ashr(upper, eight) if is_signed(form.type) else b.lshr(upper, eight)


_DOT = Shape(
    frozenset({"s32", "u32"}),
    lambda _: Signature((LaneType.I32,), (LaneType.I32,) * 3),
    result_types=frozenset({"s32", "u32"}),
)


@op("dp4a", _DOT, Pipe.FMA)
def dp4a(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """z plus the dot product of four 8-bit parts; the first type signs x, the second y."""
    total = z
    for part in range(4):
        left = _part(b, x, (8, part), is_signed(form.types[0]))
        right = _part(b, y, (8, part), is_signed(form.types[1]))
        total = b.add(total, b.mul(left, right))
    return total


@op("dp2a.lo", _DOT, Pipe.FMA)
@op("dp2a.hi", _DOT, Pipe.FMA)
def dp2a(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """z plus the dot product of two 16-bit parts of x with the low or high two 8-bit parts of y."""
    first = 2 if "hi" in form.modifiers else 0
    total = z
    for part in range(2):
        left = _part(b, x, (16, part), is_signed(form.types[0]))
        right = _part(b, y, (8, first + part), is_signed(form.types[1]))
        total = b.add(total, b.mul(left, right))
    return total


def _part(b: Builder, x: Value, place: tuple[int, int], signed: bool) -> Value:
    """Part number place[1] of place[0] bits, extended to I32."""
    bits, number = place
    top = b.shl(x, b.const(32 - bits * (number + 1), LaneType.I32))
    down = b.const(32 - bits, LaneType.I32)
    return b.ashr(top, down) if signed else b.lshr(top, down)
