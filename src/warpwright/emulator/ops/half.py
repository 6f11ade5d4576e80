"""Half and bfloat16 arithmetic, one value or two in a word, rounded once to nearest even."""

from collections.abc import Callable

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.compare import half_as_float
from warpwright.emulator.ops.declare import Family, same
from warpwright.emulator.ops.floating import extreme_of
from warpwright.emulator.ops.halves import half_from_float, narrow_to_odd
from warpwright.emulator.ops.rounding import saturate, to_odd, two_sum
from warpwright.emulator.ops.table import Form, Pipe

FAMILY = Family("Half Precision Floating Point Instructions")
op = FAMILY.op

_HALF = frozenset({"f16", "bf16", "f16x2", "bf16x2"})
_I16, _I32, _F32, _F64 = LaneType.I16, LaneType.I32, LaneType.F32, LaneType.F64

_OnFloats = Callable[..., Value]
"""F32 inputs to an F32 or (to be rounded once) F64 result."""


def each_half(b: Builder, form: Form, values: tuple[Value, ...], one: Callable[..., Value]) -> Value:
    """Apply a function of I16 patterns to the value, or to both halves of a word."""
    if not form.type.endswith("x2"):
        return one(*values)
    sixteen = b.const(16, _I32)
    low = one(*(b.trunc(value, _I16) for value in values))
    high = one(*(b.trunc(b.lshr(value, sixteen), _I16) for value in values))
    return b.or_(b.zext(low, _I32), b.shl(b.zext(high, _I32), sixteen))


def _flush(b: Builder, form: Form, x: Value) -> Value:
    """`.ftz` on a half pattern: a subnormal becomes zero of its sign."""
    if "ftz" not in form.modifiers:
        return x
    exponent = b.and_(x, b.const(0x7C00, _I16))
    small = b.compare("eq", exponent, b.const(0, _I16))
    return b.select(small, b.and_(x, b.const(0x8000, _I16)), x)


def _rounded(b: Builder, form: Form, exact: Value) -> Value:
    """F64 to a half pattern through round-to-odd, with `.sat`, `.relu` and `.ftz`."""
    single = narrow_to_odd(b, exact)
    zero = b.const(0.0, _F32)
    if "sat" in form.modifiers:
        single = saturate(b, single, _F32)
    if "relu" in form.modifiers:
        single = b.select(b.or_(b.compare("gt", single, zero), b.compare("uno", single, single)), single, zero)
    return _flush(b, form, half_from_float(b, form.type, single))


def _wide(b: Builder, form: Form, x: Value) -> Value:
    return b.widen(half_as_float(b, form.type, _flush(b, form, x)))


@op("add", same(_HALF), Pipe.HALF, "rn ftz sat", flops=1)
@op("sub", same(_HALF), Pipe.HALF, "rn ftz sat", flops=1)
@op("mul", same(_HALF), Pipe.HALF, "rn ftz sat", flops=1)
def arithmetic(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """x + y, x - y or x * y."""
    steps = {"add": b.fadd, "sub": b.fsub, "mul": b.fmul}

    def one(left: Value, right: Value) -> Value:
        # Sums of two halves fit 53 bits and products 22, so F64 is exact (bf16 sums: round to odd decides).
        left, right = _wide(b, form, left), _wide(b, form, right)
        if form.base == "mul" or not form.type.startswith("bf16"):
            return _rounded(b, form, steps[form.base](left, right))
        right = right if form.base == "add" else b.fsub(b.const(-0.0, _F64), right)
        return _rounded(b, form, to_odd(b, *two_sum(b, left, right)))

    return each_half(b, form, (x, y), one)


@op("fma", same(_HALF, 3), Pipe.HALF, "rn ftz sat relu", flops=2)
def fma(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """x * y + z, rounded once."""

    def one(left: Value, right: Value, term: Value) -> Value:
        product = b.fmul(_wide(b, form, left), _wide(b, form, right))
        return _rounded(b, form, to_odd(b, *two_sum(b, product, _wide(b, form, term))))

    return each_half(b, form, (x, y, z), one)


@op("min", same(_HALF), Pipe.HALF, "ftz NaN")
@op("max", same(_HALF), Pipe.HALF, "ftz NaN")
def extreme(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """The smaller or larger, with the rules of f32."""

    def one(left: Value, right: Value) -> Value:
        pair = (half_as_float(b, form.type, _flush(b, form, v)) for v in (left, right))
        return half_from_float(b, form.type, extreme_of(b, form, tuple(pair), _F32))

    return each_half(b, form, (x, y), one)


def _sign_bits(form: Form) -> tuple[LaneType, int]:
    return (_I32, 0x80008000) if form.type.endswith("x2") else (_I16, 0x8000)


@op("neg", same(_HALF, 1), Pipe.HALF, "ftz")
def neg(b: Builder, form: Form, x: Value) -> Value:
    """-x by its sign bit."""
    kind, signs = _sign_bits(form)
    return b.xor(each_half(b, form, (x,), lambda v: _flush(b, form, v)), b.const(signs, kind))


@op("abs", same(_HALF, 1), Pipe.HALF, "ftz")
def absolute(b: Builder, form: Form, x: Value) -> Value:
    """|x| by its sign bit."""
    kind, signs = _sign_bits(form)
    return b.and_(each_half(b, form, (x,), lambda v: _flush(b, form, v)), b.const(~signs, kind))
