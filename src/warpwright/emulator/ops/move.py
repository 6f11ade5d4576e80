"""Moves, packing, address conversion and selection by predicate."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import BITS, F32, F64, INTEGERS, PRED, Family, Shape, lane_type, same, shaped
from warpwright.emulator.ops.rounding import flushed
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Data Movement and Conversion Instructions")
op = FAMILY.op

_HALVES = frozenset({"f16", "bf16", "f16x2", "bf16x2"})
_VALUES = BITS | INTEGERS | F32 | F64 | _HALVES


@op("mov", same(_VALUES | PRED, 1), Pipe.ALU)
def mov(b: Builder, form: Form, x: Value) -> Value:
    """x."""
    return x


def _parts(form: Form) -> int:
    token = next(m for m in form.modifiers if m.startswith(("pack", "unpack")))
    return int(token[-1])


def _part_type(form: Form) -> LaneType:
    return LaneType[f"I{lane_type(form.type).bits // _parts(form)}"]


def _whole(form: Form) -> LaneType:
    return LaneType[f"I{lane_type(form.type).bits}"]


_PACKED = BITS | {"u32", "s32", "u64", "s64", "f32", "f64"}
_PACK = Shape(_PACKED, lambda f: Signature((_whole(f),), (_part_type(f),) * _parts(f)))
_UNPACK = Shape(_PACKED, lambda f: Signature((_part_type(f),) * _parts(f), (_whole(f),)))


@op("mov.pack2", _PACK, Pipe.ALU)
@op("mov.pack4", _PACK, Pipe.ALU)
def pack(b: Builder, form: Form, *parts: Value) -> Value:
    """Parts side by side, the first at the bottom."""
    kind, width = _whole(form), _part_type(form).bits
    total = b.zext(parts[0], kind)
    for place, part in enumerate(parts[1:], 1):
        total = b.or_(total, b.shl(b.zext(part, kind), b.const(place * width, kind)))
    return total


@op("mov.unpack2", _UNPACK, Pipe.ALU)
@op("mov.unpack4", _UNPACK, Pipe.ALU)
def unpack(b: Builder, form: Form, x: Value) -> tuple[Value, ...]:
    """Equal parts, the bottom first."""
    kind, part = _whole(form), _part_type(form)
    shifted = (b.lshr(x, b.const(place * part.bits, kind)) for place in range(_parts(form)))
    return tuple(b.trunc(value, part) for value in shifted)


@op("selp", shaped(_VALUES, (None,), (None, None, LaneType.I1)), Pipe.ALU)
def selp(b: Builder, form: Form, x: Value, y: Value, p: Value) -> Value:
    """p ? x : y."""
    return b.select(p, x, y)


_SLCT = Shape(
    frozenset({"s32", "f32"}),
    lambda f: Signature((lane_type(f.types[0]),), (lane_type(f.types[0]), lane_type(f.types[0]), lane_type(f.type))),
    result_types=_VALUES - _HALVES,
)


@op("slct", _SLCT, Pipe.ALU, "ftz")
def slct(b: Builder, form: Form, x: Value, y: Value, c: Value) -> Value:
    """c >= 0 ? x : y (y for a NaN; -0 counts as 0)."""
    if form.type == "f32":
        (c,) = flushed(b, form, c)
        return b.select(b.compare("ge", c, b.const(0.0, LaneType.F32)), x, y)
    return b.select(b.compare("sge", c, b.const(0, LaneType.I32)), x, y)
