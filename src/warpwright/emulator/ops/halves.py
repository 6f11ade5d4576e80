"""binary16 and bfloat16 patterns from floats, in every rounding mode."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.rounding import magnitude, sign_of

_I16, _I32, _F32 = LaneType.I16, LaneType.I32, LaneType.F32


def half_from_float(b: Builder, type_name: str, x: Value, mode: str | None = None) -> Value:
    """F32 to an f16 or bf16 pattern (by the first letters of the type); mode None is nearest even."""
    if type_name.startswith("bf16"):
        return _to_bfloat(b, x, mode)
    rounded = b.float_to_half(x)
    if mode is None:
        return rounded
    return _step_half(b, rounded, x, (b.half_to_float(rounded), mode))


def _step_half(b: Builder, rounded: Value, exact: Value, rest: tuple[Value, str]) -> Value:
    """Move a nearest-even pattern one step toward the side that the mode asks for."""
    back, mode = rest
    above, below = b.compare("gt", exact, back), b.compare("lt", exact, back)
    negative = b.compare("slt", rounded, b.const(0, _I16))
    one = b.const(1, _I16)
    inward = b.sub(rounded, one)
    outward = b.add(rounded, one)
    if mode == "rz":
        return b.select(b.select(negative, above, below), inward, rounded)
    move = above if mode == "rp" else below
    grows = b.not_(negative) if mode == "rp" else negative
    return b.select(move, b.select(grows, outward, inward), rounded)


def _to_bfloat(b: Builder, x: Value, mode: str | None) -> Value:
    """Integer rounding of the upper half; NaN is 0x7fff."""
    bits = b.bitcast(x, _I32)
    sixteen = b.const(16, _I32)
    upper = b.lshr(bits, sixteen)
    if mode is None:
        carry = b.add(b.and_(upper, b.const(1, _I32)), b.const(0x7FFF, _I32))
        upper = b.lshr(b.add(bits, carry), sixteen)
    elif mode != "rz":
        inexact = b.compare("ne", b.and_(bits, b.const(0xFFFF, _I32)), b.const(0, _I32))
        sign = sign_of(b, x, _F32)
        away = b.and_(inexact, sign if mode == "rm" else b.not_(sign))
        upper = b.select(away, b.add(upper, b.const(1, _I32)), upper)
    pattern = b.trunc(upper, _I16)
    return b.select(b.compare("uno", x, x), b.const(0x7FFF, _I16), pattern)


def narrow_to_odd(b: Builder, x: Value) -> Value:
    """F64 to F32 rounded to odd, so that a further rounding to 16 bits is right."""
    nearest = b.narrow(x)
    back = b.widen(nearest)
    bits = b.bitcast(nearest, _I32)
    beyond = b.compare("gt", magnitude(b, back, LaneType.F64), magnitude(b, x, LaneType.F64))
    toward_zero = b.select(beyond, b.sub(bits, b.const(1, _I32)), bits)
    inexact = b.or_(b.compare("lt", back, x), b.compare("gt", back, x))
    sticky = b.zext(inexact, _I32)
    return b.bitcast(b.or_(toward_zero, sticky), _F32)
