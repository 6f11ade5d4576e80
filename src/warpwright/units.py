"""Units and how they are printed. Inside the code a name carries its unit (`_us`, `_bytes`, `_hz`); here are the words."""

import math

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
US_PER_S = 1e6


def format_us(us: float) -> str:
    """A time in microseconds with three significant digits and the unit that suits it: `12.3 us`, `1.54 ms`."""
    if not math.isfinite(us):
        return "unknown"
    for unit, factor in (("s", 1e6), ("ms", 1e3), ("us", 1.0)):
        if us >= factor:
            return f"{_significant(us / factor)} {unit}"
    return f"{_significant(us * 1e3)} ns"


def format_bytes(count: float) -> str:
    """A size with the binary unit that suits it: `512 B`, `48.0 KiB`."""
    for unit, factor in (("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if count >= factor:
            return f"{_significant(count / factor)} {unit}"
    return f"{count:.0f} B"


def format_ratio(ratio: float) -> str:
    """A speed-up or a part of a whole: `1.50x`."""
    return f"{ratio:.2f}x" if math.isfinite(ratio) else "unknown"


def labelled(figure: str, *, estimated: bool) -> str:
    """`est. 12.3 us`: how every estimated figure is marked; one that was measured or counted stays as it is."""
    return f"est. {figure}" if estimated else figure


def _significant(value: float) -> str:
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"
