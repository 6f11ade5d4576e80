"""Extended-precision integers. `flow` turns the condition code into a register, so a carry is an operand like others."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import WIDE, Family, Shape, lane_type
from warpwright.emulator.ops.integer import high_half
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Extended-Precision Integer Arithmetic Instructions")
op = FAMILY.op

_TYPES = WIDE | {"b32", "b64"}


def reads_carry(form: Form) -> bool:
    """Whether the instruction takes the condition code as its last input: `addc`, `subc`, `madc`."""
    return form.base in ("addc", "subc", "madc")


def writes_carry(form: Form) -> bool:
    """Whether it gives a condition code as a second result: `.cc`."""
    return "cc" in form.modifiers


def _shape(inputs: int) -> Shape:
    def signature(form: Form) -> Signature:
        kind = lane_type(form.type)
        return Signature((kind, LaneType.I1), (kind,) * inputs + (LaneType.I1,) * reads_carry(form))

    return Shape(frozenset(_TYPES), signature)


def _carry_in(b: Builder, form: Form, rest: tuple[Value, ...]) -> Value:
    """The carry as an integer of the form's type; 0 if it takes none."""
    kind = lane_type(form.type)
    return b.zext(rest[0], kind) if rest else b.const(0, kind)


def _sum(b: Builder, x: Value, y: Value, carry: Value) -> tuple[Value, Value]:
    part = b.add(x, y)
    total = b.add(part, carry)
    return total, b.or_(b.compare("ult", part, x), b.compare("ult", total, part))


@op("add.cc", _shape(2), Pipe.ALU)
@op("addc", _shape(2), Pipe.ALU, "cc")
def add(b: Builder, form: Form, x: Value, y: Value, *rest: Value) -> tuple[Value, Value]:
    """(x + y + carry, carry out)."""
    return _sum(b, x, y, _carry_in(b, form, rest))


@op("sub.cc", _shape(2), Pipe.ALU)
@op("subc", _shape(2), Pipe.ALU, "cc")
def sub(b: Builder, form: Form, x: Value, y: Value, *rest: Value) -> tuple[Value, Value]:
    """(x - y - borrow, borrow out)."""
    borrow = _carry_in(b, form, rest)
    part = b.sub(x, y)
    return b.sub(part, borrow), b.or_(b.compare("ult", x, y), b.compare("ult", part, borrow))


@op("mad.lo.cc", _shape(3), Pipe.FMA)
@op("madc.lo", _shape(3), Pipe.FMA, "cc")
def mad_lo(b: Builder, form: Form, x: Value, y: Value, z: Value, *rest: Value) -> tuple[Value, Value]:
    """(low half of x * y, plus z, plus carry; carry out)."""
    return _sum(b, b.mul(x, y), z, _carry_in(b, form, rest))


@op("mad.hi.cc", _shape(3), Pipe.FMA)
@op("madc.hi", _shape(3), Pipe.FMA, "cc")
def mad_hi(b: Builder, form: Form, x: Value, y: Value, z: Value, *rest: Value) -> tuple[Value, Value]:
    """(high half of x * y, plus z, plus carry; carry out)."""
    return _sum(b, high_half(b, form, x, y), z, _carry_in(b, form, rest))
