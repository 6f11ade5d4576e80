"""Conversions between number types. Float to integer clamps to the range of the destination, as PTX demands."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.compare import half_as_float
from warpwright.emulator.ops.declare import Family, Shape, is_signed, lane_type
from warpwright.emulator.ops.halves import half_from_float, narrow_to_odd
from warpwright.emulator.ops.rounding import (
    directed,
    direction,
    finish,
    flush,
    narrow_by,
    saturate,
    to_odd,
    two_sum,
)
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Data Movement and Conversion Instructions")
op = FAMILY.op

_BYTES = frozenset({"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"})
_HALVES = frozenset({"f16", "bf16"})
_FLOATS = frozenset({"f32", "f64"})
_F32, _F64, _I16, _I32, _I64 = LaneType.F32, LaneType.F64, LaneType.I16, LaneType.I32, LaneType.I64
_INTEGRAL = "rni rzi rmi rpi"
_MODES = "rn rz rm rp"


def _signature(form: Form) -> Signature:
    return Signature((lane_type(form.types[0]),), (lane_type(form.types[-1]),))


def _from(sources: frozenset[str], targets: frozenset[str]) -> Shape:
    return Shape(sources, _signature, result_types=targets)


@op("cvt", _from(_BYTES, _BYTES), Pipe.ALU, "sat")
def integer_to_integer(b: Builder, form: Form, x: Value) -> Value:
    """The value modulo 2**bits; `.sat`: clamped to the destination's range."""
    source, target = form.types[-1], form.types[0]
    kind = lane_type(target)
    if "sat" in form.modifiers:
        wide = _resized(b, x, source, _I64)
        return _resized(b, _clamped(b, wide, target, signed=is_signed(source)), "s64", kind)
    return _resized(b, x, source, kind)


def _resized(b: Builder, x: Value, source: str, kind: LaneType) -> Value:
    bits = lane_type(source).bits
    if kind.bits == bits:
        return x
    if kind.bits < bits:
        return b.trunc(x, kind)
    return b.sext(x, kind) if is_signed(source) else b.zext(x, kind)


def _range(name: str) -> tuple[int, int]:
    bits = lane_type(name).bits
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed(name) else (0, (1 << bits) - 1)


def _clamped(b: Builder, x: Value, target: str, *, signed: bool) -> Value:
    """An I64 clamped to the range of an integer type; signed: how x is to be read."""
    low, high = _range(target)
    prefix = "s" if signed else "u"
    if high < (1 << (63 if signed else 64)) - 1:
        top = b.const(high, _I64)
        x = b.select(b.compare(f"{prefix}gt", x, top), top, x)
    if signed and low > -(1 << 63):
        bottom = b.const(low, _I64)
        x = b.select(b.compare("slt", x, bottom), bottom, x)
    return x


@op("cvt", _from(_BYTES, _FLOATS), Pipe.SFU, f"{_MODES} sat")
def integer_to_float(b: Builder, form: Form, x: Value) -> Value:
    """Rounded once, in every mode."""
    kind, mode = lane_type(form.types[0]), direction(form)
    if mode is None:
        nearest = b.signed_to_float if is_signed(form.types[-1]) else b.unsigned_to_float
        return finish(b, form, nearest(x, kind), kind)
    rounded, error = _two_floats(b, x, form.types[-1])
    if kind is _F64:
        return finish(b, form, directed(b, rounded, error, mode, kind), kind)
    return finish(b, form, narrow_by(b, to_odd(b, rounded, error), mode))


def _two_floats(b: Builder, x: Value, source: str) -> tuple[Value, Value]:
    """An integer as the nearest F64 and what that lacks, also an F64."""
    wide = _resized(b, x, source, _I64)
    low = b.and_(wide, b.const(0xFFFFFFFF, _I64))
    upper = b.sub(wide, low)
    high = b.signed_to_float(upper, _F64) if is_signed(source) else b.unsigned_to_float(upper, _F64)
    return two_sum(b, high, b.unsigned_to_float(low, _F64))


@op("cvt", _from(_BYTES, _HALVES), Pipe.SFU, f"{_MODES} sat")
def integer_to_half(b: Builder, form: Form, x: Value) -> Value:
    """Rounded once: through round-to-odd."""
    single = narrow_to_odd(b, to_odd(b, *_two_floats(b, x, form.types[-1])))
    if "sat" in form.modifiers:
        single = saturate(b, single, _F32)
    return half_from_float(b, form.types[0], single, direction(form))


@op("cvt", _from(_FLOATS, _BYTES), Pipe.SFU, f"{_INTEGRAL} ftz sat")
def float_to_integer(b: Builder, form: Form, x: Value) -> Value:
    """Rounded to an integer and clamped; NaN gives 0, or the top bit for f64 sources and 64-bit results."""
    source, target = lane_type(form.types[-1]), form.types[0]
    if source is _F32 and "ftz" in form.modifiers:
        x = flush(b, x)
    return _clamped_integer(b, _integral(b, form, x), source, target)


def _clamped_integer(b: Builder, x: Value, source: LaneType, target: str) -> Value:
    kind = lane_type(target)
    low, high = _range(target)
    work = _I64 if kind is _I64 else _I32
    zero = b.const(0.0, source)
    above = b.compare("ge", x, b.const(float(high + 1), source))
    below = b.compare("lt", x, b.const(float(low), source))
    inside = b.not_(b.or_(b.or_(above, below), b.compare("uno", x, x)))
    safe = b.select(inside, x, zero)
    # 8 and 16 bits fit the 32-bit conversion; u32 needs the unsigned one
    converted = b.float_to_signed(safe, work) if is_signed(target) else b.float_to_unsigned(safe, work)
    result = converted if kind is work else b.trunc(converted, kind)
    result = b.select(above, b.const(high, kind), b.select(below, b.const(low, kind), result))
    top = 1 << (kind.bits - 1)
    nan = b.const(top if source is _F64 or kind is _I64 else 0, kind)
    return b.select(b.compare("uno", x, x), nan, result)


def _integral(b: Builder, form: Form, x: Value) -> Value:
    if "rni" in form.modifiers:
        return b.round_even(x)
    if "rmi" in form.modifiers:
        return b.floor(x)
    return b.ceil(x) if "rpi" in form.modifiers else b.truncate(x)


@op("cvt", _from(_HALVES, _BYTES), Pipe.SFU, f"{_INTEGRAL} sat")
def half_to_integer(b: Builder, form: Form, x: Value) -> Value:
    """As from f32, which holds every half."""
    single = half_as_float(b, form.types[-1], x)
    return _clamped_integer(b, _integral(b, form, single), _F32, form.types[0])


@op("cvt", _from(frozenset({"f32"}), frozenset({"f64"})), Pipe.FP64, "ftz sat")
def single_to_double(b: Builder, form: Form, x: Value) -> Value:
    """Exact."""
    wide = b.widen(flush(b, x) if "ftz" in form.modifiers else x)
    return saturate(b, wide, _F64) if "sat" in form.modifiers else wide


@op("cvt", _from(frozenset({"f64"}), frozenset({"f32"})), Pipe.FP64, f"{_MODES} ftz sat")
def double_to_single(b: Builder, form: Form, x: Value) -> Value:
    """Rounded."""
    return finish(b, form, narrow_by(b, x, direction(form)))


@op("cvt", _from(frozenset({"f32"}), frozenset({"f32"})), Pipe.ALU, f"{_INTEGRAL} ftz sat")
@op("cvt", _from(frozenset({"f64"}), frozenset({"f64"})), Pipe.FP64, f"{_INTEGRAL} sat")
def same_float(b: Builder, form: Form, x: Value) -> Value:
    """Rounded to an integral float where the form says so."""
    kind = lane_type(form.type)
    if kind is _F32 and "ftz" in form.modifiers:
        x = flush(b, x)
    if not form.modifiers.isdisjoint(_INTEGRAL.split()):
        x = _integral(b, form, x)
    return finish(b, form, x, kind)


@op("cvt", _from(_HALVES, frozenset({"f32"})), Pipe.ALU, "rn ftz sat")
def half_to_single(b: Builder, form: Form, x: Value) -> Value:
    """Exact."""
    return finish(b, form, half_as_float(b, form.type, x))


@op("cvt", _from(_HALVES, frozenset({"f64"})), Pipe.FP64, "sat")
def half_to_double(b: Builder, form: Form, x: Value) -> Value:
    """Exact."""
    wide = b.widen(half_as_float(b, form.type, x))
    return saturate(b, wide, _F64) if "sat" in form.modifiers else wide


_NARROWING = f"{_MODES} ftz sat relu"


@op("cvt", _from(frozenset({"f32"}), _HALVES), Pipe.ALU, _NARROWING)
def single_to_half(b: Builder, form: Form, x: Value) -> Value:
    """Rounded; `.relu`: negative results and NaN become 0 and the canonical NaN."""
    return _half(b, form, form.types[0], x)


def _half(b: Builder, form: Form, target: str, x: Value) -> Value:
    if "ftz" in form.modifiers:
        x = flush(b, x)
    if "sat" in form.modifiers:
        x = saturate(b, x, _F32)
    if "relu" in form.modifiers:
        zero = b.const(0.0, _F32)
        x = b.select(b.compare("le", x, zero), zero, x)
    return half_from_float(b, target, x, direction(form))


@op("cvt", _from(frozenset({"f64"}), _HALVES), Pipe.FP64, f"{_MODES} sat")
def double_to_half(b: Builder, form: Form, x: Value) -> Value:
    """Rounded once: through f32 with round-to-odd."""
    return _half(b, form, form.types[0], narrow_to_odd(b, x))


@op("cvt", _from(_HALVES, _HALVES), Pipe.ALU, f"{_INTEGRAL} {_MODES} sat")
def half_to_half(b: Builder, form: Form, x: Value) -> Value:
    """Rounded to an integral half, or from one kind of half to the other."""
    single = half_as_float(b, form.types[-1], x)
    if not form.modifiers.isdisjoint(_INTEGRAL.split()):
        single = _integral(b, form, single)
    return _half(b, form, form.types[0], single)


_PAIR = Shape(
    frozenset({"f32"}), lambda _: Signature((_I32,), (_F32, _F32)), result_types=frozenset({"f16x2", "bf16x2"})
)


@op("cvt", _PAIR, Pipe.ALU, "rn rz relu")
def singles_to_pair(b: Builder, form: Form, upper: Value, lower: Value) -> Value:
    """The first operand rounded into the upper half, the second into the lower."""
    name = form.types[0].removesuffix("x2")
    high, low = (b.zext(_half(b, form, name, x), _I32) for x in (upper, lower))
    return b.or_(b.shl(high, b.const(16, _I32)), low)
