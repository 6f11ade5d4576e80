"""Conditions and amounts over counters, decided only by what is known: `thresholds.toml`, cards, `metrics.toml`.

    condition = "a > 0.2 and (b + c < 0.5 or max(d, e) >= f / 2)"
    amount    = "1 / (1 - a)"

Names are normalised counters and facts of the situation, never negative; functions: min, max, ceil; `true` always holds.
Python's own grammar reads the text; nothing else of it is allowed and nothing is run by it.
"""

import ast
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from warpwright.conditions.interval import (
    UNKNOWN,
    Interval,
    add,
    at_least,
    divide,
    greater,
    largest,
    multiply,
    point,
    rounded_up,
    smallest,
    subtract,
)
from warpwright.errors import WarpwrightError

_OPERATIONS: Mapping[type[ast.operator], Callable[[Interval, Interval], Interval]] = {
    ast.Add: add,
    ast.Sub: subtract,
    ast.Mult: multiply,
    ast.Div: divide,
}
_FUNCTIONS: Mapping[str, Callable[..., Interval]] = {"min": smallest, "max": largest, "ceil": rounded_up}
_RELATIONS: Mapping[type[ast.cmpop], str] = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}

_TRUE = "true"
_RESERVED = frozenset({*_FUNCTIONS, _TRUE})

Values = Mapping[str, float]


class ExpressionError(WarpwrightError):
    """Text that is no condition or amount; the message quotes it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison that held. amount, value: its left side. relation: `>`, `>=`, `<`, `<=`.

    threshold: value of the right side. against: the right side, None where it is a plain number. Of a side that is known only
    in part it is the end that decided: at least, at most so much.
    """

    amount: str
    value: float
    relation: str
    threshold: float
    against: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A condition held against values. holds: None = it depends on what is unknown.

    evidence: the comparisons that made it true. unknown: names in comparisons that could not be decided, in their order.
    """

    holds: bool | None
    evidence: tuple[Comparison, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Amount:
    """A number made of counters."""

    text: str
    tree: ast.expr

    @property
    def names(self) -> tuple[str, ...]:
        """Counters and facts that it uses, each once."""
        return _names(self.tree)

    def value(self, values: Values) -> float | None:
        """The number; None if a name in it is unknown or a divisor is 0."""
        found = _interval(self.tree, values)
        return found.low if found.exact and math.isfinite(found.low) else None

    def least(self, values: Values) -> float:
        """What it is at least, whatever the unknown names are; may be minus infinity."""
        return _interval(self.tree, values).low


@dataclass(frozen=True, slots=True)
class Condition:
    """Comparisons joined by `and` and `or`."""

    text: str
    tree: ast.expr

    @property
    def names(self) -> tuple[str, ...]:
        """Counters and facts that it uses, each once."""
        return _names(self.tree)

    def answer(self, values: Values) -> Answer:
        """Whether it holds for what is known."""
        return _answer(self.tree, values)


@cache
def parse_amount(text: str) -> Amount:
    """Raises: ExpressionError."""
    tree = _parsed(text)
    _check_amount(text, tree)
    return Amount(text, tree)


@cache
def parse_condition(text: str) -> Condition:
    """Raises: ExpressionError."""
    tree = _parsed(text)
    _check_condition(text, tree)
    return Condition(text, tree)


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ExpressionError(f"{text!r} cannot be read: {error}") from error


def _check_condition(text: str, node: ast.expr) -> None:
    match node:
        case ast.Name(id=name) if name == _TRUE:
            return
        case ast.BoolOp(values=parts):
            for part in parts:
                _check_condition(text, part)
        case ast.Compare(left=left, ops=[relation], comparators=[right]) if type(relation) in _RELATIONS:
            _check_amount(text, left)
            _check_amount(text, right)
        case _:
            raise ExpressionError(
                f"{text!r}: {ast.unparse(node)!r} is no condition. "
                "Allowed are comparisons by > >= < <=, joined by and, or; and true."
            )


def _check_amount(text: str, node: ast.expr) -> None:
    match node:
        case ast.Name(id=name) if name not in _RESERVED:
            return
        case ast.Constant(value=int() | float() as number) if _is_number(number):
            return
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATIONS:
            _check_amount(text, left)
            _check_amount(text, right)
        case ast.Call(func=ast.Name(id=function), args=[_, *_] as arguments, keywords=[]) if function in _FUNCTIONS:
            for argument in arguments:
                _check_amount(text, argument)
        case _:
            raise ExpressionError(
                f"{text!r}: {ast.unparse(node)!r} is no amount. Allowed are names, numbers, + - * /, min, max and ceil."
            )


def _is_number(constant: float) -> bool:
    return not isinstance(constant, bool) and abs(constant) <= sys.float_info.max


def _answer(node: ast.expr, values: Values) -> Answer:
    if isinstance(node, ast.Name):
        return Answer(holds=True)
    if isinstance(node, ast.BoolOp):
        parts = [_answer(part, values) for part in node.values]
        return _all_of(parts) if isinstance(node.op, ast.And) else _any_of(parts)
    assert isinstance(node, ast.Compare)
    other = node.comparators[0]
    left, right = (_interval(side, values) for side in (node.left, other))
    relation = _RELATIONS[type(node.ops[0])]
    compare = greater if relation in "><" else at_least
    holds = compare(left, right) if relation in (">", ">=") else compare(right, left)
    if holds is None:
        return Answer(holds=None, unknown=tuple(name for name in _names(node) if not _known(name, values)))
    if not holds:
        return Answer(holds=False)
    against = None if isinstance(other, ast.Constant) else ast.unparse(other)
    value, threshold = (left.low, right.high) if relation in (">", ">=") else (left.high, right.low)  # what decided
    return Answer(holds=True, evidence=(Comparison(ast.unparse(node.left), value, relation, threshold, against),))


def _all_of(parts: list[Answer]) -> Answer:
    unknown = _joined(part.unknown for part in parts)
    if any(part.holds is False for part in parts):
        return Answer(holds=False, unknown=unknown)
    if unknown:
        return Answer(holds=None, unknown=unknown)
    return Answer(holds=True, evidence=tuple(e for part in parts for e in part.evidence))


def _any_of(parts: list[Answer]) -> Answer:
    true = [part for part in parts if part.holds]
    if true:
        return Answer(holds=True, evidence=tuple(e for part in true for e in part.evidence))
    unknown = _joined(part.unknown for part in parts)
    return Answer(holds=None if any(part.holds is None for part in parts) else False, unknown=unknown)


def _interval(node: ast.expr, values: Values) -> Interval:
    match node:
        case ast.Name(id=name):
            return point(values[name]) if _known(name, values) else UNKNOWN
        case ast.Constant(value=int() | float() as number):
            return point(float(number))
        case ast.BinOp(left=left, op=operation, right=right):
            return _OPERATIONS[type(operation)](_interval(left, values), _interval(right, values))
        case ast.Call(func=ast.Name(id=function), args=arguments):
            return _FUNCTIONS[function](*(_interval(argument, values) for argument in arguments))
    raise ExpressionError(f"{ast.unparse(node)!r} is no amount")


def _known(name: str, values: Values) -> bool:
    return name in values and not math.isnan(values[name])


def _names(tree: ast.expr) -> tuple[str, ...]:
    return _joined([node.id] for node in _in_order(tree) if isinstance(node, ast.Name) and node.id not in _RESERVED)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _joined(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))
