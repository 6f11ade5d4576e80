"""Logic and shifts. Shift counts are 32-bit and clamp at the width."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import BITS, PRED, SIGNED, UNSIGNED, Family, is_signed, lane_type, same, shaped
from warpwright.emulator.ops.table import Form, Pipe

FAMILY = Family("Logic and Shift Instructions")
op = FAMILY.op

_SHIFT_RIGHT = BITS | SIGNED | UNSIGNED
_I32 = LaneType.I32


@op("and", same(BITS | PRED), Pipe.ALU)
def and_(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x & y."""
    return b.and_(x, y)


@op("or", same(BITS | PRED), Pipe.ALU)
def or_(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x | y."""
    return b.or_(x, y)


@op("xor", same(BITS | PRED), Pipe.ALU)
def xor(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x ^ y."""
    return b.xor(x, y)


@op("not", same(BITS | PRED, 1), Pipe.ALU)
def not_(b: Builder, form: Form, x: Value) -> Value:
    """~x."""
    return b.not_(x)


@op("cnot", same(BITS, 1), Pipe.ALU)
def cnot(b: Builder, form: Form, x: Value) -> Value:
    """1 where x is 0, else 0."""
    return b.zext(b.compare("eq", x, b.const(0, lane_type(form.type))), lane_type(form.type))


def count_as(b: Builder, count: Value, kind: LaneType) -> Value:
    """An I32 count in another integer type; the caller has clamped it."""
    if kind is _I32:
        return count
    return b.zext(count, kind) if kind.bits > 32 else b.trunc(count, kind)


def clamp_count(b: Builder, count: Value, limit: int) -> Value:
    """min(count, limit), unsigned."""
    bound = b.const(limit, _I32)
    return b.select(b.compare("ugt", count, bound), bound, count)


def shift_left(b: Builder, kind: LaneType, x: Value, count: Value) -> Value:
    """x << count for any I32 count; 0 from the width on."""
    inside = b.compare("ult", count, b.const(kind.bits, _I32))
    shifted = b.shl(x, count_as(b, clamp_count(b, count, kind.bits - 1), kind))
    return b.select(inside, shifted, b.const(0, kind))


def shift_right(b: Builder, kind: LaneType, x: Value, count: Value) -> Value:
    """Logical x >> count for any I32 count; 0 from the width on."""
    inside = b.compare("ult", count, b.const(kind.bits, _I32))
    shifted = b.lshr(x, count_as(b, clamp_count(b, count, kind.bits - 1), kind))
    return b.select(inside, shifted, b.const(0, kind))


@op("shl", shaped(BITS, (None,), (None, _I32)), Pipe.ALU)
def shl(b: Builder, form: Form, x: Value, count: Value) -> Value:
    """x << count, 0 from the width on."""
    return shift_left(b, lane_type(form.type), x, count)


@op("shr", shaped(_SHIFT_RIGHT, (None,), (None, _I32)), Pipe.ALU)
def shr(b: Builder, form: Form, x: Value, count: Value) -> Value:
    """x >> count; signed types fill with the sign."""
    kind = lane_type(form.type)
    if not is_signed(form.type):
        return shift_right(b, kind, x, count)
    return b.ashr(x, count_as(b, clamp_count(b, count, kind.bits - 1), kind))


@op("shf", shaped({"b32"}, (_I32,), (_I32, _I32, _I32)), Pipe.ALU, "l r wrap clamp")
def shf(b: Builder, form: Form, low: Value, high: Value, count: Value) -> Value:
    """32 bits out of high:low shifted; `.l` keeps the upper word, `.r` the lower."""
    wide = b.or_(b.shl(b.zext(high, LaneType.I64), b.const(32, LaneType.I64)), b.zext(low, LaneType.I64))
    count = b.and_(count, b.const(31, _I32)) if "wrap" in form.modifiers else clamp_count(b, count, 32)
    count = b.zext(count, LaneType.I64)
    if "l" not in form.modifiers:
        return b.trunc(b.lshr(wide, count), _I32)
    return b.trunc(b.lshr(b.shl(wide, count), b.const(32, LaneType.I64)), _I32)


@op("lop3", shaped({"b32"}, (_I32,), (_I32, _I32, _I32, _I32)), Pipe.ALU)
def lop3(b: Builder, form: Form, x: Value, y: Value, z: Value, table: Value) -> Value:
    """Any logic function of three words: bit i of the table is its value at x:y:z = i."""
    total = b.const(0, _I32)
    for index in range(8):
        row = _minterm(b, x, index & 4)
        row = b.and_(row, _minterm(b, y, index & 2))
        row = b.and_(row, _minterm(b, z, index & 1))
        bit = b.and_(b.lshr(table, b.const(index, _I32)), b.const(1, _I32))
        total = b.or_(total, b.and_(row, b.sub(b.const(0, _I32), bit)))
    return total


def _minterm(b: Builder, x: Value, wanted: int) -> Value:
    return x if wanted else b.not_(x)
