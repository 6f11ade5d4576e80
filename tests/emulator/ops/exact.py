"""Floating point by exact fractions: every format, every rounding mode. Python floats hold all values exactly."""

import math
import struct
from fractions import Fraction

FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}
"""Bits of the significand, least and greatest exponent of a normal number."""
CODES = {"f16": "<e", "f32": "<f", "f64": "<d"}
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
MODES = ("rn", "rz", "rm", "rp")


def decode(pattern: int, kind: str) -> float:
    """The value of a bit pattern."""
    if kind == "bf16":
        return decode(pattern << 16, "f32")
    (value,) = struct.unpack(CODES[kind], pattern.to_bytes(BITS[kind] // 8, "little"))
    return float(value)


def encode(value: float, kind: str) -> int:
    """The pattern of a value that the format has."""
    if kind == "bf16":
        return encode(value, "f32") >> 16
    return int.from_bytes(struct.pack(CODES[kind], value), "little")


def rounded(value: Fraction, kind: str, mode: str = "rn") -> float:
    """An exact value in a format; a result of 0 has the value's sign."""
    bits, least, greatest = FORMATS[kind]
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    quantum = Fraction(2) ** (max(exponent, least) - bits + 1)
    count, rest = divmod(size, quantum)
    away = {"rn": rest * 2 > quantum or (rest * 2 == quantum and count % 2 == 1), "rz": False}
    away |= {"rm": rest > 0 and value < 0, "rp": rest > 0 and value > 0}
    result = (count + away[mode]) * quantum
    sign = -1.0 if value < 0 else 1.0
    if result >= Fraction(2) ** (greatest + 1):
        if mode == "rz" or (mode == "rm" and value > 0) or (mode == "rp" and value < 0):
            result = Fraction(2) ** (greatest + 1) - Fraction(2) ** (greatest + 1 - bits)
        else:
            return sign * math.inf
    return math.copysign(float(result), sign)


def sign(value: float) -> float:
    """1.0 or -1.0, of zeros too."""
    return math.copysign(1.0, value)


def add(x: float, y: float, kind: str, mode: str) -> float:
    """x + y."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x + y
    return total(Fraction(x) + Fraction(y), x, y, (kind, mode))


def total(exact: Fraction, x: float, y: float, how: tuple[str, str]) -> float:
    """A sum of x and y; a zero is negative if both are, or opposite terms round down."""
    if exact == 0:
        both = x == 0 and y == 0 and sign(x) == sign(y)
        return x if both else -0.0 if how[1] == "rm" else 0.0
    return rounded(exact, *how)


def multiply(x: float, y: float, kind: str, mode: str) -> float:
    """x * y."""
    if not (math.isfinite(x) and math.isfinite(y)) or x == 0 or y == 0:
        return x * y
    return rounded(Fraction(x) * Fraction(y), kind, mode)


def fused(x: float, y: float, z: float, how: tuple[str, str]) -> float:
    """x * y + z."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    product = Fraction(x) * Fraction(y)
    zero = math.copysign(0.0, sign(x) * sign(y))
    return total(product + Fraction(z), zero if product == 0 else 1.0, z, how)


def divide(x: float, y: float, kind: str, mode: str) -> float:
    """x / y."""
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and math.isinf(y)) or (x == 0 and y == 0):
        return math.nan
    if y == 0 or math.isinf(x):
        return math.copysign(math.inf, sign(x) * sign(y))
    if x == 0 or math.isinf(y):
        return math.copysign(0.0, sign(x) * sign(y))
    return rounded(Fraction(x) / Fraction(y), kind, mode)


def root(x: float, kind: str, mode: str) -> float:
    """The square root, from an integer one with a sticky bit."""
    if math.isnan(x) or x == 0 or x == math.inf:
        return x
    if x < 0:
        return math.nan
    scale = 1200
    number = Fraction(x) * 4**scale
    assert number.denominator == 1
    whole = math.isqrt(number.numerator)
    sticky = Fraction(int(whole * whole != number.numerator), 2)
    return rounded((whole + sticky) / 2**scale, kind, mode)


def flushed(value: float, kind: str) -> float:
    """A subnormal becomes zero of its sign."""
    return math.copysign(0.0, value) if abs(value) < 2.0 ** FORMATS[kind][1] else value


def saturated(value: float) -> float:
    """Clamped to 0..1; a NaN and -0 become +0."""
    return 0.0 if math.isnan(value) or value <= 0 else min(value, 1.0)


def extreme(x: float, y: float, *, least: bool, keep_nan: bool) -> float:
    """Minimum or maximum with -0 below +0; a NaN loses unless it is kept."""
    if math.isnan(x) or math.isnan(y):
        if keep_nan or (math.isnan(x) and math.isnan(y)):
            return math.nan
        return y if math.isnan(x) else x
    ordered = sorted((x, y), key=lambda v: (v, sign(v)))
    return ordered[0] if least else ordered[1]
