"""Atomic read-modify-writes: each row gives the new value from the old one and the operands."""

from collections.abc import Callable

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.compare import half_as_float
from warpwright.emulator.ops.declare import Family, Shape, is_signed, lane_type
from warpwright.emulator.ops.halves import half_from_float
from warpwright.emulator.ops.table import Definition, Effect, Form, Signature

FAMILY = Family("Parallel Synchronization and Communication Instructions")

_SCOPE = "global shared shared::cta relaxed acquire release acq_rel cta cluster gpu sys noftz"
_INTEGER = frozenset({"u32", "s32", "u64", "s64"})
_BITS = frozenset({"b32", "b64"})
_FLOAT = frozenset({"f32", "f64"})
_HALF = frozenset({"f16", "bf16", "f16x2", "bf16x2"})


def _shape(types: frozenset[str], operands: int) -> Shape:
    """Result: the old value. Inputs: old, then the operands."""

    def signature(form: Form) -> Signature:
        kind = lane_type(form.type)
        return Signature((kind,), (kind,) * (operands + 1))

    return Shape(types, signature)


def _both(name: str, types: frozenset[str], operands: int = 1, flops: int = 0) -> Callable[[Definition], Definition]:
    """Declare `atom` and, where the ISA has it, `red`."""

    def declare(definition: Definition) -> Definition:
        shape = _shape(types, operands)
        FAMILY.update(f"atom.{name}", shape, Effect.ATOMIC, _SCOPE, flops)(definition)
        if name not in ("exch", "cas"):
            FAMILY.update(f"red.{name}", shape, Effect.REDUCTION, _SCOPE, flops)(definition)
        return definition

    return declare


@_both("add", _INTEGER)
def add(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """old + x."""
    return b.add(old, x)


@_both("add", _FLOAT, flops=1)
def add_float(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """old + x, nearest even."""
    return b.fadd(old, x)


@_both("add", _HALF, flops=1)
def add_half(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """old + x on each half."""
    if not form.type.endswith("x2"):
        return _half_sum(b, form, old, x)
    sixteen = b.const(16, LaneType.I32)
    low = _half_sum(b, form, b.trunc(old, LaneType.I16), b.trunc(x, LaneType.I16))
    high = _half_sum(b, form, *(b.trunc(b.lshr(v, sixteen), LaneType.I16) for v in (old, x)))
    return b.or_(b.zext(low, LaneType.I32), b.shl(b.zext(high, LaneType.I32), sixteen))


def _half_sum(b: Builder, form: Form, x: Value, y: Value) -> Value:
    total = b.fadd(half_as_float(b, form.type, x), half_as_float(b, form.type, y))
    return half_from_float(b, form.type, total)


@_both("min", _INTEGER)
@_both("max", _INTEGER)
def extreme(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """The smaller or larger."""
    less = b.compare("slt" if is_signed(form.type) else "ult", x, old)
    return b.select(less, x, old) if "min" in form.modifiers else b.select(less, old, x)


@_both("and", _BITS)
def and_(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """old & x."""
    return b.and_(old, x)


@_both("or", _BITS)
def or_(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """old | x."""
    return b.or_(old, x)


@_both("xor", _BITS)
def xor(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """old ^ x."""
    return b.xor(old, x)


@_both("exch", _BITS)
def exch(b: Builder, form: Form, old: Value, x: Value) -> Value:
    """x."""
    return x


@_both("cas", _BITS | {"b16"}, operands=2)
def cas(b: Builder, form: Form, old: Value, expected: Value, x: Value) -> Value:
    """x where old is as expected."""
    return b.select(b.compare("eq", old, expected), x, old)


@_both("inc", frozenset({"u32"}))
def inc(b: Builder, form: Form, old: Value, limit: Value) -> Value:
    """old + 1; 0 from the limit on."""
    wraps = b.compare("uge", old, limit)
    return b.select(wraps, b.const(0, LaneType.I32), b.add(old, b.const(1, LaneType.I32)))


@_both("dec", frozenset({"u32"}))
def dec(b: Builder, form: Form, old: Value, limit: Value) -> Value:
    """old - 1; the limit after 0 or from above it."""
    wraps = b.or_(b.compare("eq", old, b.const(0, LaneType.I32)), b.compare("ugt", old, limit))
    return b.select(wraps, limit, b.sub(old, b.const(1, LaneType.I32)))
