"""Comparisons into predicates (`setp`) and registers (`set`)."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import BITS, F32, F64, INTEGERS, Family, Shape, is_signed, lane_type
from warpwright.emulator.ops.rounding import flush, magnitude
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Comparison and Selection Instructions")
op = FAMILY.op

_ORDERED = ("eq", "ne", "lt", "le", "gt", "ge")
_UNSIGNED_WORDS = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_UNORDERED = tuple(f"{relation}u" for relation in _ORDERED)
_RELATIONS = " ".join((*_ORDERED, *_UNSIGNED_WORDS, *_UNORDERED, "num", "nan"))
_COMBINATIONS = frozenset({"and", "or", "xor"})
_HALF = frozenset({"f16", "bf16"})
_PAIRED = frozenset({"f16x2", "bf16x2"})


def _has_third(form: Form) -> bool:
    return bool(form.modifiers & _COMBINATIONS)


def _setp_signature(form: Form) -> Signature:
    kind = lane_type(form.type)
    return Signature((LaneType.I1,) * 2, (kind, kind) + (LaneType.I1,) * _has_third(form))


def relation_of(form: Form) -> str:
    """The comparison's word: `lt`, `geu`, `hi`, `nan` ..."""
    return next(token for token in form.tokens if token in _RELATIONS.split())


def compared(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """I1: the form's relation between x and y, of the form's last type."""
    relation = relation_of(form)
    if form.type in _HALF:
        x, y = _half_operand(b, form, x), _half_operand(b, form, y)
    if form.type in _HALF or form.type in F32 | F64:
        if form.type in F32 and "ftz" in form.modifiers:
            x, y = flush(b, x), flush(b, y)
        return _float_relation(b, relation, x, y)
    if relation in ("eq", "ne"):
        return b.compare(relation, x, y)
    return b.compare(("s" if is_signed(form.type) else "u") + _UNSIGNED_WORDS.get(relation, relation), x, y)


def half_as_float(b: Builder, type_name: str, x: Value) -> Value:
    """An f16 or bf16 pattern as F32."""
    if type_name.startswith("bf16"):
        wide = b.shl(b.zext(x, LaneType.I32), b.const(16, LaneType.I32))
        return b.bitcast(wide, LaneType.F32)
    return b.half_to_float(x)


def _half_operand(b: Builder, form: Form, x: Value) -> Value:
    """A half as F32; `.ftz` of f16 turns its subnormals into zeros."""
    single = half_as_float(b, form.type, x)
    if "ftz" not in form.modifiers or form.type.startswith("bf16"):
        return single
    small = b.compare("lt", magnitude(b, single, LaneType.F32), b.const(2.0**-14, LaneType.F32))
    return b.select(small, b.const(0.0, LaneType.F32), single)


def _float_relation(b: Builder, relation: str, x: Value, y: Value) -> Value:
    unordered = b.compare("uno", x, y)
    if relation == "nan":
        return unordered
    if relation == "num":
        return b.not_(unordered)
    if relation in _ORDERED:
        return b.compare(relation, x, y)
    return b.or_(unordered, b.compare(relation[:-1], x, y))


def _combined(b: Builder, form: Form, result: Value, third: tuple[Value, ...]) -> Value:
    if not third:
        return result
    if "and" in form.modifiers:
        return b.and_(result, third[0])
    return b.or_(result, third[0]) if "or" in form.modifiers else b.xor(result, third[0])


@op(
    "setp",
    Shape(BITS | INTEGERS | F32 | F64 | _HALF, _setp_signature),
    Pipe.ALU,
    f"{_RELATIONS} and or xor ftz",
)
def setp(b: Builder, form: Form, x: Value, y: Value, *third: Value) -> tuple[Value, Value]:
    """(x relation y) and its complement, each combined with a third predicate if there is one."""
    result = compared(b, form, x, y)
    return _combined(b, form, result, third), _combined(b, form, b.not_(result), third)


def _pair_signature(form: Form) -> Signature:
    return Signature((LaneType.I1,) * 2, (LaneType.I32,) * 2 + (LaneType.I1,) * _has_third(form))


@op("setp", Shape(_PAIRED, _pair_signature), Pipe.HALF, f"{_RELATIONS} and or xor ftz")
def setp_pair(b: Builder, form: Form, x: Value, y: Value, *third: Value) -> tuple[Value, Value]:
    """The relation of the low halves, and of the high halves."""
    low, high = _pair_relations(b, form, x, y)
    return _combined(b, form, low, third), _combined(b, form, high, third)


def _pair_relations(b: Builder, form: Form, x: Value, y: Value) -> tuple[Value, Value]:
    sixteen = b.const(16, LaneType.I32)
    halves = []
    for shift in (False, True):
        left, right = (b.trunc(b.lshr(v, sixteen) if shift else v, LaneType.I16) for v in (x, y))
        left, right = _half_operand(b, form, left), _half_operand(b, form, right)
        halves.append(_float_relation(b, relation_of(form), left, right))
    return halves[0], halves[1]


def _set_signature(form: Form) -> Signature:
    kind = lane_type(form.type)
    return Signature((lane_type(form.types[0]),), (kind, kind) + (LaneType.I1,) * _has_third(form))


_TRUE = {
    "f32": 0x3F800000,
    "f16": 0x3C00,
    "bf16": 0x3F80,
    "f16x2": 0x3C00,
    "bf16x2": 0x3F80,
}
"""1.0 of each type; integer results are all ones."""


@op(
    "set",
    Shape(BITS | INTEGERS | F32 | F64 | _HALF, _set_signature, result_types=frozenset({"u32", "s32", "u16", "s16"})),
    Pipe.ALU,
    f"{_RELATIONS} and or xor ftz",
)
@op(
    "set",
    Shape(BITS | INTEGERS | F32 | F64 | _HALF, _set_signature, result_types=F32 | _HALF),
    Pipe.ALU,
    f"{_RELATIONS} and or xor ftz",
)
def set_(b: Builder, form: Form, x: Value, y: Value, *third: Value) -> Value:
    """All ones (integers) or 1.0 (floats) where the relation holds, else 0."""
    holds = _combined(b, form, compared(b, form, x, y), third)
    kind = lane_type(form.types[0])
    bits = LaneType[f"I{kind.bits}"]
    chosen = b.select(holds, b.const(_TRUE.get(form.types[0], -1), bits), b.const(0, bits))
    return b.bitcast(chosen, kind) if kind.is_float else chosen


@op("set", Shape(_PAIRED, _set_signature, result_types=_PAIRED | {"u32", "s32"}), Pipe.HALF, f"{_RELATIONS} ftz")
def set_pair(b: Builder, form: Form, x: Value, y: Value) -> Value:
    """Both halves at once: 1.0 (or all ones) where the relation holds, else 0."""
    true = _TRUE.get(form.types[0], 0xFFFF)
    low, high = _pair_relations(b, form, x, y)
    zero = b.const(0, LaneType.I32)
    low_bits = b.select(low, b.const(true, LaneType.I32), zero)
    return b.or_(low_bits, b.select(high, b.const(true << 16, LaneType.I32), zero))
