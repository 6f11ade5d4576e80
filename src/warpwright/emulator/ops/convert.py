"""`cvt`: between integers, floats and halves, in every rounding mode."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.compare import half_as_float
from warpwright.emulator.ops.declare import Family, Shape, is_signed, lane_type
from warpwright.emulator.ops.halves import half_from_float, narrow_to_odd
from warpwright.emulator.ops.rounding import (
    directed,
    direction,
    finish,
    flush,
    magnitude,
    narrow_by,
    saturate,
    to_odd,
    two_sum,
)
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Data Movement and Conversion Instructions")
op = FAMILY.op

_INTEGERS = frozenset(f"{sign}{bits}" for sign in "su" for bits in (8, 16, 32, 64))
_HALVES = frozenset({"f16", "bf16"})
_FLOATS = frozenset({"f32", "f64"})
_TO_INTEGRAL = "rni rzi rmi rpi"
_MODES = "rn rz rm rp"
_F32, _F64, _I32, _I64 = LaneType.F32, LaneType.F64, LaneType.I32, LaneType.I64


def _between(results: frozenset[str], sources: frozenset[str]) -> Shape:
    def signature(form: Form) -> Signature:
        return Signature((lane_type(form.types[0]),), (lane_type(form.types[1]),))

    return Shape(sources, signature, results)


# integers -------------------------------------------------------------------------------------------------------------


@op("cvt", _between(_INTEGERS, _INTEGERS), Pipe.ALU, "sat")
def integer_to_integer(b: Builder, form: Form, x: Value) -> Value:
    """Cut, or extended by the source's sign; `.sat` clamps to the result's range."""
    target, source = (lane_type(name) for name in form.types)
    if "sat" in form.modifiers:
        x = _clamped(b, form, x)
    if target.bits < source.bits:
        return b.trunc(x, target)
    if target is source:
        return x
    return b.sext(x, target) if is_signed(form.types[1]) else b.zext(x, target)


def _range(name: str) -> tuple[int, int]:
    bits = lane_type(name).bits
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed(name) else (0, (1 << bits) - 1)


def _clamped(b: Builder, form: Form, x: Value) -> Value:
    target, source = form.types
    kind, order = lane_type(source), "s" if is_signed(source) else "u"
    (low, high), (least, most) = _range(target), _range(source)
    if low > least:
        bound = b.const(low, kind)
        x = b.select(b.compare(f"{order}lt", x, bound), bound, x)
    if high < most:
        bound = b.const(high, kind)
        x = b.select(b.compare(f"{order}gt", x, bound), bound, x)
    return x


# integer to float -----------------------------------------------------------------------------------------------------


@op("cvt", _between(_FLOATS, _INTEGERS), Pipe.SFU, f"{_MODES} sat")
def integer_to_float(b: Builder, form: Form, x: Value) -> Value:
    """The nearest float, or the one that the mode asks for."""
    target, mode = lane_type(form.types[0]), direction(form)
    if mode is None:
        make = b.signed_to_float if is_signed(form.types[1]) else b.unsigned_to_float
        return finish(b, form, make(x, target), target)
    odd = _integer_to_odd(b, form, x)
    if target is _F32:
        return finish(b, form, narrow_by(b, odd, mode))
    return finish(b, form, _wide_directed(b, form, x, mode), target)


def _halves_of(b: Builder, form: Form, x: Value) -> tuple[Value, Value]:
    """An integer as two F64, exactly: x = first + second."""
    kind = lane_type(form.types[1])
    wide = x if kind is _I64 else b.sext(x, _I64) if is_signed(form.types[1]) else b.zext(x, _I64)
    low = b.and_(wide, b.const(0xFFFFFFFF, _I64))
    high = b.sub(wide, low)
    make = b.signed_to_float if is_signed(form.types[1]) else b.unsigned_to_float
    return make(high, _F64), b.unsigned_to_float(low, _F64)


def _integer_to_odd(b: Builder, form: Form, x: Value) -> Value:
    return to_odd(b, *two_sum(b, *_halves_of(b, form, x)))


def _wide_directed(b: Builder, form: Form, x: Value, mode: str) -> Value:
    return directed(b, *two_sum(b, *_halves_of(b, form, x)), mode, _F64)


@op("cvt", _between(_HALVES, _INTEGERS), Pipe.SFU, _MODES)
def integer_to_half(b: Builder, form: Form, x: Value) -> Value:
    """Rounded once: through round-to-odd."""
    single = narrow_to_odd(b, _integer_to_odd(b, form, x))
    return half_from_float(b, form.types[0], single, direction(form))


# float to integer -----------------------------------------------------------------------------------------------------


def _integral(b: Builder, form: Form, x: Value) -> Value:
    """Rounded to an integral value by the form's `.r?i`."""
    rounders = {"rni": b.round_even, "rzi": b.truncate, "rmi": b.floor, "rpi": b.ceil}
    return next((round_(x) for mode, round_ in rounders.items() if mode in form.modifiers), x)


@op("cvt", _between(_INTEGERS, _FLOATS | _HALVES), Pipe.SFU, f"{_TO_INTEGRAL} ftz sat")
def float_to_integer(b: Builder, form: Form, x: Value) -> Value:
    """Rounded, clamped to the result's range; a NaN gives 0, or the top bit alone where f64 or 64 bits are involved."""
    target, source = form.types
    if source in _HALVES:
        x = half_as_float(b, source, x)
    if "ftz" in form.modifiers and source == "f32":
        x = flush(b, x)
    kind, result = (_F64 if source == "f64" else _F32), lane_type(target)
    rounded = _integral(b, form, x)
    nan_bits = 1 << (result.bits - 1) if source == "f64" or result is _I64 else 0
    return b.select(b.compare("uno", x, x), b.const(nan_bits, result), _to_range(b, target, rounded, kind))


def _to_range(b: Builder, target: str, x: Value, kind: LaneType) -> Value:
    """An integral float as an integer, saturated at both ends. Range ends that are powers of two are exact floats."""
    result, (low, high) = lane_type(target), _range(target)
    above = b.compare("ge", x, b.const(float(high + 1), kind))
    below = b.compare("le", x, b.const(float(low), kind))
    outside = b.or_(b.or_(above, below), b.compare("uno", x, x))
    safe = b.select(outside, b.const(0.0, kind), x)
    wide = _I32 if result.bits < 32 else result
    convert = b.float_to_signed if is_signed(target) else b.float_to_unsigned
    inside = convert(safe, wide)
    inside = inside if wide is result else b.trunc(inside, result)
    return b.select(above, b.const(high, result), b.select(below, b.const(low, result), inside))


# float to float -------------------------------------------------------------------------------------------------------


@op("cvt", _between(frozenset({"f32"}), frozenset({"f32"})), Pipe.ALU, f"{_TO_INTEGRAL} rn ftz sat")
@op("cvt", _between(frozenset({"f64"}), frozenset({"f64"})), Pipe.FP64, f"{_TO_INTEGRAL} rn sat")
def same_width(b: Builder, form: Form, x: Value) -> Value:
    """Rounded to integral, flushed, saturated."""
    kind = lane_type(form.type)
    if "ftz" in form.modifiers:
        x = flush(b, x)
    return finish(b, form, _integral(b, form, x), kind)


@op("cvt", _between(frozenset({"f16"}), frozenset({"f16"})), Pipe.HALF, f"{_TO_INTEGRAL} rn sat")
@op("cvt", _between(frozenset({"bf16"}), frozenset({"bf16"})), Pipe.HALF, f"{_TO_INTEGRAL} rn sat")
def half_same(b: Builder, form: Form, x: Value) -> Value:
    """Rounded to integral, saturated; exact in f32."""
    rounded = _integral(b, form, half_as_float(b, form.type, x))
    if "sat" in form.modifiers:
        rounded = saturate(b, rounded, _F32)
    return half_from_float(b, form.type, rounded)


@op("cvt", _between(frozenset({"f64"}), frozenset({"f32"})), Pipe.FP64, "ftz sat")
def widen(b: Builder, form: Form, x: Value) -> Value:
    """Exact."""
    if "ftz" in form.modifiers:
        x = flush(b, x)
    return saturate(b, b.widen(x), _F64) if "sat" in form.modifiers else b.widen(x)


@op("cvt", _between(frozenset({"f32"}), frozenset({"f64"})), Pipe.FP64, f"{_MODES} ftz sat")
def narrow(b: Builder, form: Form, x: Value) -> Value:
    """Rounded."""
    return finish(b, form, narrow_by(b, x, direction(form)))


@op("cvt", _between(_FLOATS, _HALVES), Pipe.SFU, "ftz sat rn")
def half_to_wide(b: Builder, form: Form, x: Value) -> Value:
    """Exact."""
    single = half_as_float(b, form.types[1], x)
    target = lane_type(form.types[0])
    return finish(b, form, b.widen(single) if target is _F64 else single, target)


@op("cvt", _between(_HALVES, frozenset({"f32"})), Pipe.SFU, f"{_MODES} ftz sat relu satfinite")
def single_to_half(b: Builder, form: Form, x: Value) -> Value:
    """Rounded; `.relu` turns negatives into 0, `.satfinite` infinities into the largest number."""
    return _half_pattern(b, form, x)


@op("cvt", _between(_HALVES, frozenset({"f64"})), Pipe.SFU, f"{_MODES} sat")
def double_to_half(b: Builder, form: Form, x: Value) -> Value:
    """Rounded once: through round-to-odd."""
    return _half_pattern(b, form, narrow_to_odd(b, x))


def _half_pattern(b: Builder, form: Form, x: Value) -> Value:
    zero = b.const(0.0, _F32)
    if "sat" in form.modifiers:
        x = saturate(b, x, _F32)
    if "relu" in form.modifiers:
        x = b.select(b.or_(b.compare("gt", x, zero), b.compare("uno", x, x)), x, zero)
    pattern = half_from_float(b, form.types[0], x, direction(form))
    return _finite_half(b, form, pattern) if "satfinite" in form.modifiers else pattern


def _finite_half(b: Builder, form: Form, pattern: Value) -> Value:
    infinity = 0x7F80 if form.types[0].startswith("bf16") else 0x7C00
    kind = LaneType.I16
    size = b.and_(pattern, b.const(0x7FFF, kind))
    is_infinite = b.compare("eq", size, b.const(infinity, kind))
    return b.select(is_infinite, b.sub(pattern, b.const(1, kind)), pattern)


_PAIR = Shape(
    frozenset({"f32"}), lambda _: Signature((_I32,), (_F32, _F32)), result_types=frozenset({"f16x2", "bf16x2"})
)


@op("cvt", _PAIR, Pipe.SFU, f"{_MODES} relu satfinite")
def pair_from_floats(b: Builder, form: Form, high: Value, low: Value) -> Value:
    """Two halves in a word; the first operand becomes the upper."""
    upper, lower = (b.zext(_half_pattern(b, form, v), _I32) for v in (high, low))
    return b.or_(b.shl(upper, b.const(16, _I32)), lower)


@op("cvt.rna", _between(frozenset({"tf32"}), frozenset({"f32"})), Pipe.ALU)
def to_tf32(b: Builder, form: Form, x: Value) -> Value:
    """f32 with 10 bits of fraction, ties away from zero; the rest of the word is 0."""
    bits = b.bitcast(x, _I32)
    rounded = b.and_(b.add(bits, b.const(1 << 12, _I32)), b.const(~0x1FFF, _I32))
    finite = b.compare("lt", magnitude(b, x, _F32), b.const(float("inf"), _F32))
    return b.select(finite, rounded, bits)
