"""Conditions over counters, of three values: true, false, and undecided where a counter is unknown.

    dram_throughput_ratio >= 0.6 and (l2_hit_ratio < 0.5 or 32 * global_load_sectors > 2 * unique_bytes)

Comparisons, `and`, `or`, `not`, `+ - * /`, `min(...)`, `max(...)`, numbers, names, `true`, `false`. Python's own grammar
reads the text; nothing else of it is allowed and nothing is run by it.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from warpwright.errors import WarpwrightError

ALLOWED = "comparisons, and, or, not, + - * /, min(...), max(...), numbers, names, true, false"

Values = Mapping[str, float]
_Logic = Callable[[Values], bool | None]
_Number = Callable[[Values], float | None]

_COMPARE: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Sequence[float]], float | None]] = {
    ast.Add: lambda sides: sides[0] + sides[1],
    ast.Sub: lambda sides: sides[0] - sides[1],
    ast.Mult: lambda sides: sides[0] * sides[1],
    ast.Div: lambda sides: sides[0] / sides[1] if sides[1] else None,
}
_FUNCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max}
_TRUTHS: Mapping[str, bool] = {"true": True, "false": False}


class ConditionError(WarpwrightError):
    """A condition that cannot be read; the message shows it and says what is allowed."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was read. names: the counters and facts in it, in alphabetical order."""

    text: str
    names: tuple[str, ...]
    decide: _Logic

    def holds(self, values: Values) -> bool | None:
        """Its truth for these values; None if an unknown name decides. NaN is unknown, and so is x / 0."""
        return self.decide(values)

    def unknown(self, values: Values) -> tuple[str, ...]:
        """Names without a value."""
        return tuple(name for name in self.names if _value(values, name) is None)


@cache
def condition(text: str) -> Condition:
    """Read a condition; line breaks do not matter. Raises: ConditionError."""
    text = " ".join(text.split())
    try:
        root = ast.parse(text, mode="eval").body
        decide = _logic(root)
    except (SyntaxError, ValueError, OverflowError) as error:
        raise ConditionError(f"{text!r} is no condition: {error}; allowed: {ALLOWED}.") from error
    names = {node.id for node in ast.walk(root) if isinstance(node, ast.Name)} - set(_FUNCTIONS) - set(_TRUTHS)
    return Condition(text, tuple(sorted(names)), decide)


def _logic(node: ast.expr) -> _Logic:
    match node:
        case ast.BoolOp(op=op, values=values):
            return _joined([_logic(value) for value in values], decisive=isinstance(op, ast.Or))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _negated(_logic(operand))
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            sides = [_number(side) for side in (left, *others)]
            pairs = [_compared(_COMPARE[type(op)], *pair) for op, pair in zip(ops, pairwise(sides), strict=True)]
            return _joined(pairs, decisive=False)
        case ast.Name(id=name) if name in _TRUTHS:
            return lambda _: _TRUTHS[name]
    raise ValueError(f"{ast.unparse(node)!r} stands where a comparison is due")


def _number(node: ast.expr) -> _Number:
    match node:
        case ast.Constant(value=int() | float() as constant) if not isinstance(constant, bool):
            number = float(constant)
            return lambda _: number
        case ast.Name(id=name) if name not in {*_FUNCTIONS, *_TRUTHS}:
            return lambda values: _value(values, name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _computed([_number(operand)], lambda known: -known[0])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _computed([_number(left), _number(right)], _ARITHMETIC[type(op)])
        case ast.Call(func=ast.Name(id=name), args=[_, _, *_] as parts, keywords=[]) if name in _FUNCTIONS:
            return _computed([_number(part) for part in parts], _FUNCTIONS[name])
    raise ValueError(f"{ast.unparse(node)!r} stands where a number is due")


def _joined(parts: Sequence[_Logic], *, decisive: bool) -> _Logic:
    """`or` if True is decisive, `and` if False is: one such part decides whatever the unknown ones are."""

    def decide(values: Values) -> bool | None:
        truths = {part(values) for part in parts}
        return decisive if decisive in truths else None if None in truths else not decisive

    return decide


def _negated(part: _Logic) -> _Logic:
    def decide(values: Values) -> bool | None:
        truth = part(values)
        return None if truth is None else not truth

    return decide


def _compared(compare: Callable[[float, float], bool], left: _Number, right: _Number) -> _Logic:
    def decide(values: Values) -> bool | None:
        first, second = left(values), right(values)
        return None if first is None or second is None else compare(first, second)

    return decide


def _computed(parts: Sequence[_Number], compute: Callable[[Sequence[float]], float | None]) -> _Number:
    def number(values: Values) -> float | None:
        known = [value for part in parts if (value := part(values)) is not None]
        result = compute(known) if len(known) == len(parts) else None
        return None if result is None or math.isnan(result) else result

    return number


def _value(values: Values, name: str) -> float | None:
    value = values.get(name)
    return None if value is None or math.isnan(value) else float(value)
