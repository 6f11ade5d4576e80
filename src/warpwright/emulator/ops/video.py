"""Four bytes in one word: what `__vabsdiffu4`, `__vabs4` and `__vsadu4` compile to. The ISA's other video forms are gone
from compilers, which spell them in ordinary instructions."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import Family, Shape, is_signed
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Video Instructions")
op = FAMILY.op

_I32 = LaneType.I32
_WORDS = frozenset({"u32", "s32"})
_PACKED = Shape(_WORDS, lambda _: Signature((_I32,), (_I32,) * 3), result_types=_WORDS)


def _byte(b: Builder, x: Value, number: int, *, signed: bool) -> Value:
    top = b.shl(x, b.const(24 - 8 * number, _I32))
    down = b.const(24, _I32)
    return b.ashr(top, down) if signed else b.lshr(top, down)


@op("vabsdiff4", _PACKED, Pipe.ALU, "add")
def vabsdiff4(b: Builder, form: Form, x: Value, y: Value, z: Value) -> Value:
    """|x - y| of each byte, back in its place, modulo 256; `.add`: their sum, plus z."""
    total = z if "add" in form.modifiers else b.const(0, _I32)
    for number in range(4):
        left = _byte(b, x, number, signed=is_signed(form.types[-2]))
        right = _byte(b, y, number, signed=is_signed(form.types[-1]))
        less = b.compare("slt", left, right)
        distance = b.select(less, b.sub(right, left), b.sub(left, right))
        if "add" not in form.modifiers:
            distance = b.shl(b.and_(distance, b.const(255, _I32)), b.const(8 * number, _I32))
        total = b.add(total, distance)
    return total
