"""Bit counts, fields and permutations."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import WIDE, Family, is_signed, lane_type, same, shaped
from warpwright.emulator.ops.logic import clamp_count, count_as, shift_left, shift_right
from warpwright.emulator.ops.table import Form, Pipe

FAMILY = Family("Integer Arithmetic Instructions")
op = FAMILY.op

_I32 = LaneType.I32
_I64 = LaneType.I64
_WORDS = frozenset({"b32", "b64"})


def _as_word(b: Builder, form: Form, x: Value) -> Value:
    return b.trunc(x, _I32) if lane_type(form.type) is _I64 else x


@op("popc", shaped(_WORDS, (_I32,), (None,)), Pipe.SFU)
def popc(b: Builder, form: Form, x: Value) -> Value:
    """Number of ones."""
    return _as_word(b, form, b.popcount(x))


@op("clz", shaped(_WORDS, (_I32,), (None,)), Pipe.SFU)
def clz(b: Builder, form: Form, x: Value) -> Value:
    """Leading zeros; the width for 0."""
    return _as_word(b, form, b.leading_zeros(x))


@op("brev", same(_WORDS, 1), Pipe.SFU)
def brev(b: Builder, form: Form, x: Value) -> Value:
    """Bits in reverse order."""
    return b.reverse_bits(x)


@op("bfind", shaped(WIDE, (_I32,), (None,)), Pipe.SFU, "shiftamt")
def bfind(b: Builder, form: Form, x: Value) -> Value:
    """Position of the leading one (of the first bit that is not the sign, if signed); all ones if there is none."""
    kind = lane_type(form.type)
    if is_signed(form.type):
        x = b.select(b.compare("slt", x, b.const(0, kind)), b.not_(x), x)
    zeros = _as_word(b, form, b.leading_zeros(x))
    position = zeros if "shiftamt" in form.modifiers else b.sub(b.const(kind.bits - 1, _I32), zeros)
    return b.select(b.compare("eq", x, b.const(0, kind)), b.const(-1, _I32), position)


@op("bfe", shaped(WIDE, (None,), (None, _I32, _I32)), Pipe.ALU)
def bfe(b: Builder, form: Form, x: Value, position: Value, length: Value) -> Value:
    """Bits position .. position + length - 1; signed types repeat the field's top bit."""
    kind = lane_type(form.type)
    position, length = (b.and_(v, b.const(255, _I32)) for v in (position, length))
    mask = field_mask(b, kind, length)
    field = b.and_(shift_right(b, kind, x, position), mask)
    if not is_signed(form.type):
        return field
    last = clamp_count(b, b.sub(b.add(position, length), b.const(1, _I32)), kind.bits - 1)
    sign = b.and_(b.lshr(x, count_as(b, last, kind)), b.const(1, kind))
    empty = b.compare("eq", length, b.const(0, _I32))
    sign = b.select(empty, b.const(0, kind), sign)
    # A field that reaches over the top is filled with the sign too: bits that x does not have.
    reach = field_mask(b, kind, b.sub(b.const(kind.bits, _I32), clamp_count(b, position, kind.bits)))
    inside = b.and_(mask, reach)
    return b.or_(field, b.and_(b.sub(b.const(0, kind), sign), b.not_(inside)))


def field_mask(b: Builder, kind: LaneType, length: Value) -> Value:
    """`length` ones at the bottom (all ones from the width on)."""
    return b.sub(shift_left(b, kind, b.const(1, kind), length), b.const(1, kind))


@op("bfi", shaped(_WORDS, (None,), (None, None, _I32, _I32)), Pipe.ALU)
def bfi(b: Builder, form: Form, x: Value, into: Value, position: Value, length: Value) -> Value:
    """`into` with its field of `length` bits at `position` replaced by the bottom of x."""
    kind = lane_type(form.type)
    position, length = (b.and_(v, b.const(255, _I32)) for v in (position, length))
    mask = shift_left(b, kind, field_mask(b, kind, length), position)
    placed = shift_left(b, kind, x, position)
    return b.or_(b.and_(placed, mask), b.and_(into, b.not_(mask)))


@op("bmsk", shaped({"b32"}, (_I32,), (_I32, _I32)), Pipe.ALU, "clamp wrap")
def bmsk(b: Builder, form: Form, position: Value, length: Value) -> Value:
    """A mask of `length` ones starting at `position`."""
    if "wrap" in form.modifiers:
        position, length = (b.and_(v, b.const(31, _I32)) for v in (position, length))
    return shift_left(b, _I32, field_mask(b, _I32, length), position)


_PRMT_MODES = {
    "f4e": ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)),
    "b4e": ((0, 7, 6, 5), (1, 0, 7, 6), (2, 1, 0, 7), (3, 2, 1, 0)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)),
    "rc16": ((0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)),
}
"""Mode -> selector 0..3 -> source byte of each result byte, the lowest first (PTX ISA, prmt, table of modes)."""


@op("prmt", shaped({"b32"}, (_I32,), (_I32, _I32, _I32)), Pipe.ALU, " ".join(_PRMT_MODES))
def prmt(b: Builder, form: Form, x: Value, y: Value, selector: Value) -> Value:
    """Four bytes picked from the eight of y:x."""
    wide = b.or_(b.shl(b.zext(y, _I64), b.const(32, _I64)), b.zext(x, _I64))
    mode = next(iter(form.modifiers & _PRMT_MODES.keys()), None)
    total = b.const(0, _I32)
    for place in range(4):
        byte = _picked(b, wide, selector, place) if mode is None else _moved(b, wide, selector, (mode, place))
        total = b.or_(total, b.shl(byte, b.const(8 * place, _I32)))
    return total


def _byte(b: Builder, wide: Value, index: Value) -> Value:
    count = b.zext(b.shl(index, b.const(3, _I32)), _I64)
    return b.and_(b.trunc(b.lshr(wide, count), _I32), b.const(255, _I32))


def _picked(b: Builder, wide: Value, selector: Value, place: int) -> Value:
    """Default mode: bits 0..2 of the nibble name the byte, bit 3 asks for its sign in all bits."""
    nibble = b.lshr(selector, b.const(4 * place, _I32))
    byte = _byte(b, wide, b.and_(nibble, b.const(7, _I32)))
    negative = b.compare("ugt", byte, b.const(127, _I32))
    sign = b.select(negative, b.const(255, _I32), b.const(0, _I32))
    wants_sign = b.compare("ne", b.and_(nibble, b.const(8, _I32)), b.const(0, _I32))
    return b.select(wants_sign, sign, byte)


def _moved(b: Builder, wide: Value, selector: Value, mode: tuple[str, int]) -> Value:
    sources, place = _PRMT_MODES[mode[0]], mode[1]
    choice = b.and_(selector, b.const(3, _I32))
    byte = b.const(0, _I32)
    for value in range(4):
        chosen = _byte(b, wide, b.const(sources[value][place], _I32))
        byte = b.select(b.compare("eq", choice, b.const(value, _I32)), chosen, byte)
    return byte
