"""What `cvt` gives, by exact fractions."""

import math
from collections.abc import Callable
from fractions import Fraction

from emulator.ops import exact
from emulator.ops.exact import decode
from emulator.ops.patterns import Outcome, finished, half_pattern, is_float, number, width
from warpwright.emulator.ops.table import Form


def convert(form: Form, *values: int) -> Outcome:
    target, source = form.types
    if target.endswith("x2"):
        upper, lower = (converted(form, target.removesuffix("x2"), source, v) for v in values)
        return half_pattern(float(upper), target.removesuffix("x2")) << 16 | half_pattern(
            float(lower), target.removesuffix("x2")
        )
    return converted(form, target, source, values[0])


def converted(form: Form, target: str, source: str, pattern: int) -> int | float:
    mode = next((m for m in exact.MODES if m in form.modifiers), "rn")
    if not is_float(source):
        value = number(pattern, source)
        if is_float(target):
            return finished(form, target, exact.rounded(Fraction(value), target, mode))
        return within(target, value) if "sat" in form.modifiers else value
    single = decode(pattern, source)
    if "ftz" in form.modifiers and source == "f32":
        single = exact.flushed(single, source)
    if not is_float(target):
        return to_integer(form, single, source, target)
    whole = integral(form, single)
    if math.isfinite(whole) and whole != 0:
        whole = exact.rounded(Fraction(whole), target, mode)
    if "ftz" in form.modifiers and target == "f32":
        whole = exact.flushed(whole, target)
    return (
        exact.saturated(whole) if "sat" in form.modifiers else 0.0 if "relu" in form.modifiers and whole <= 0 else whole
    )


def integral(form: Form, value: float) -> float:
    rounders: dict[str, Callable[[Fraction], int]] = {
        "rni": round,
        "rzi": math.trunc,
        "rmi": math.floor,
        "rpi": math.ceil,
    }
    rounder = next((r for word, r in rounders.items() if word in form.modifiers), None)
    if rounder is None or not math.isfinite(value):
        return value
    return math.copysign(float(rounder(Fraction(value))), value)


def within(name: str, value: int) -> int:
    bits = width(name)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if name[0] == "s" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def to_integer(form: Form, value: float, source: str, target: str) -> int:
    if math.isnan(value):
        return 1 << (width(target) - 1) if source == "f64" or width(target) == 64 else 0
    if math.isinf(value):
        return within(target, 10**30 if value > 0 else -(10**30))
    whole = integral(form, value)
    return within(target, math.trunc(Fraction(whole)))
