"""Bit patterns as the numbers that PTX types make of them."""

import math
from collections.abc import Callable

from emulator.ops import exact
from emulator.ops.exact import encode
from warpwright.emulator.ops.table import Form

Outcome = int | float | None
"""A pattern; a float of the result's type (a NaN of any pattern); None where nothing is promised."""
Truth = Callable[..., Outcome | tuple[Outcome, ...]]


def width(name: str) -> int:
    """Bits of a type."""
    return {"pred": 1, "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}.get(name) or int(name[1:])


def number(pattern: int, name: str) -> int:
    """A pattern as the integer that its type means."""
    bits = width(name)
    pattern &= (1 << bits) - 1
    return pattern - (1 << bits) if name[0] == "s" and pattern >> (bits - 1) else pattern


def is_float(name: str) -> bool:
    return "f" in name


def finished(form: Form, kind: str, result: float) -> float:
    if "ftz" in form.modifiers and kind != "bf16":
        result = exact.flushed(result, kind)
    if "sat" in form.modifiers:
        result = exact.saturated(result)
    return 0.0 if "relu" in form.modifiers and result <= 0 else result


def half_pattern(value: float, kind: str) -> int:
    return 0x7FFF if math.isnan(value) else encode(value, kind)
