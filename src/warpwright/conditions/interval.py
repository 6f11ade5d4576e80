"""Numbers that may be known only in part: an unknown counter is anything from 0 up, and arithmetic keeps what is certain."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Interval:
    """All values that a quantity may have, both ends included."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """True if it is one number."""
        return self.low == self.high


UNKNOWN = Interval(0.0, math.inf)
"""A counter that nobody took; counters are never negative."""

ANYTHING = Interval(-math.inf, math.inf)


def point(value: float) -> Interval:
    """A known number."""
    return Interval(value, value)


def add(left: Interval, right: Interval) -> Interval:
    """Sum."""
    return Interval(left.low + right.low, left.high + right.high)


def subtract(left: Interval, right: Interval) -> Interval:
    """Difference."""
    return Interval(left.low - right.high, left.high - right.low)


def multiply(left: Interval, right: Interval) -> Interval:
    """Product."""
    return _spanned(left, right, lambda a, b: 0.0 if 0.0 in (a, b) else a * b)


def divide(left: Interval, right: Interval) -> Interval:
    """Quotient; a divisor that may be 0 makes it unknown, not infinite."""
    if right.low <= 0.0 <= right.high:
        return UNKNOWN if left.low >= 0.0 <= right.low else ANYTHING
    return _spanned(left, right, lambda a, b: 0.0 if math.isinf(b) else a / b)


def largest(*parts: Interval) -> Interval:
    """Maximum."""
    return Interval(max(p.low for p in parts), max(p.high for p in parts))


def smallest(*parts: Interval) -> Interval:
    """Minimum."""
    return Interval(min(p.low for p in parts), min(p.high for p in parts))


def rounded_up(part: Interval) -> Interval:
    """The next whole number."""
    return Interval(*(end if math.isinf(end) else float(math.ceil(end)) for end in (part.low, part.high)))


def greater(left: Interval, right: Interval) -> bool | None:
    """left > right; None if that depends on what is unknown."""
    return True if left.low > right.high else False if left.high <= right.low else None


def at_least(left: Interval, right: Interval) -> bool | None:
    """left >= right; None if that depends on what is unknown."""
    return True if left.low >= right.high else False if left.high < right.low else None


def _spanned(left: Interval, right: Interval, operation: Callable[[float, float], float]) -> Interval:
    ends = [operation(a, b) for a, b in product((left.low, left.high), (right.low, right.high))]
    return Interval(min(ends), max(ends))
