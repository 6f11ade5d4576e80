"""Integer expressions of workloads and launch plans: `ceil_div(rows, BLOCK)`, `4 * cols`, `device.sm_count * 2`.

    sum     = product {("+" | "-") product}
    product = factor {("*" | "/" | "//" | "%") factor}
    factor  = "-" factor | NUMBER | NAME | FUNCTION "(" sum {"," sum} ")" | "(" sum ")"

Values are 64-bit integers: overflow is an error, `/` must divide exactly, `//` and `%` round down as in Python.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from warpwright.errors import CandidateError
from warpwright.hardware.gpu_spec import GpuSpec

_MAX_LENGTH = 500
_MAX_DEPTH = 40
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)|(?P<sign>//|[-+*/%(),]))", re.ASCII
)


class ExpressionError(CandidateError):
    """An expression that cannot be read or has no value; the message quotes it."""


@dataclass(frozen=True, slots=True)
class Number:
    """A literal."""

    value: int


@dataclass(frozen=True, slots=True)
class Name:
    """A dim, a tunable or `device.*`."""

    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and `+ - * / // %`."""

    sign: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Call:
    """`ceil_div`, `min`, `max`, `next_pow2`, or `-` (negation, one operand)."""

    function: str
    arguments: tuple["Node", ...]


Node = Number | Name | Binary | Call


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; `text` is as written."""

    text: str
    root: Node

    @property
    def names(self) -> frozenset[str]:
        """Every name the value depends on."""
        return frozenset(_names(self.root))

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value under these bindings. Raises: ExpressionError for an unknown name, division or overflow."""
        return _value(self, self.root, values)


def evaluate(text: str, values: Mapping[str, int]) -> int:
    """Parse and evaluate; see `Expression.evaluate`."""
    return parse(text).evaluate(values)


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """The expression written in `text`. Raises: ExpressionError with the column of the first mistake."""
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"expression of {len(text)} characters; the limit is {_MAX_LENGTH}: {text[:40]!r} ...")
    parser = _Parser(text)
    root = parser.sum(0)
    if parser.kind:
        raise parser.error(f"unexpected {parser.word!r}")
    return Expression(text, root)


def device_values(gpu: GpuSpec) -> dict[str, int]:
    """The `device.*` names of an expression for one GPU; sizes in bytes."""
    return {name: read(gpu) for name, read in _DEVICE.items()}


_DEVICE: Mapping[str, Callable[[GpuSpec], int]] = {
    "device.sm_count": lambda gpu: gpu.sm_count,
    "device.warp_size": lambda gpu: gpu.warp_size,
    "device.max_threads_per_block": lambda gpu: gpu.limits.max_threads_per_block,
    "device.max_threads_per_sm": lambda gpu: gpu.limits.max_threads_per_sm,
    "device.max_blocks_per_sm": lambda gpu: gpu.limits.max_blocks_per_sm,
    "device.registers_per_sm": lambda gpu: gpu.limits.registers_per_sm,
    "device.shared_per_block_bytes": lambda gpu: gpu.limits.shared_per_block_bytes,
    "device.shared_per_block_optin_bytes": lambda gpu: gpu.limits.shared_per_block_optin_bytes,
    "device.shared_per_sm_bytes": lambda gpu: gpu.limits.shared_per_sm_bytes,
    "device.l2_bytes": lambda gpu: gpu.memory.l2_bytes,
}
DEVICE_NAMES = tuple(_DEVICE)
"""Every `device.*` name."""


class _Parser:
    """Recursive descent over one text; `kind` and `word` describe the token ahead, kind "" is the end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.kind = ""
        self.word = ""
        self._start = 0
        self.advance()

    def advance(self) -> None:
        rest = self.text[self.position :]
        if not rest.strip():
            self.kind, self.word, self._start = "", "", len(self.text)
            return
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self._start = self.position + len(rest) - len(rest.lstrip())
            raise self.error(f"unexpected character {self.text[self._start]!r}")
        self.kind = match.lastgroup or ""
        self.word = match.group(self.kind)
        self._start = match.start(self.kind)
        self.position = match.end()

    def error(self, what: str, start: int | None = None) -> ExpressionError:
        allowed = "numbers, names, + - * / // %, parentheses, ceil_div, min, max, next_pow2"
        column = (self._start if start is None else start) + 1
        return ExpressionError(f"expression {self.text!r}, column {column}: {what}; allowed are {allowed}")

    def take(self, word: str) -> None:
        if self.word != word:
            found = repr(self.word) if self.kind else "the end"
            raise self.error(f"{word!r} is missing before {found}")
        self.advance()

    def sum(self, depth: int) -> Node:
        return self._chain(("+", "-"), self.product, depth)

    def product(self, depth: int) -> Node:
        return self._chain(("*", "/", "//", "%"), self.factor, depth)

    def _chain(self, signs: tuple[str, ...], operand: Callable[[int], Node], depth: int) -> Node:
        left = operand(depth)
        while self.word in signs:
            sign = self.word
            self.advance()
            left = Binary(sign, left, operand(depth))
        return left

    def factor(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self.error(f"nested deeper than {_MAX_DEPTH}")
        kind, word, start = self.kind, self.word, self._start
        if not kind:
            raise self.error("a value is missing at the end")
        self.advance()
        if kind == "number":
            return Number(int(word))
        if kind == "name":
            return self._call(word, start, depth) if self.word == "(" else Name(word)
        if word == "-":
            return Call("-", (self.factor(depth + 1),))
        if word == "(":
            inner = self.sum(depth + 1)
            self.take(")")
            return inner
        raise self.error(f"a value is missing before {word!r}", start)

    def _call(self, function: str, start: int, depth: int) -> Node:
        if function not in _FUNCTIONS:
            raise self.error(f"unknown function {function!r}", start)
        self.take("(")
        arguments = [self.sum(depth + 1)]
        while self.word == ",":
            self.advance()
            arguments.append(self.sum(depth + 1))
        self.take(")")
        least, most = _FUNCTIONS[function][0]
        if not least <= len(arguments) <= most:
            wanted = str(least) if least == most else f"at least {least}"
            found = f"{function} takes {wanted} value{'s' * (wanted != '1')}, found {len(arguments)}"
            raise self.error(found, start)
        return Call(function, tuple(arguments))


def _ceil_div(left: int, right: int) -> int:
    if right <= 0:
        raise ArithmeticError(f"ceil_div({left}, {right}) needs a divisor above 0")
    return -(-left // right)


def _next_pow2(value: int) -> int:
    return 1 if value <= 1 else 1 << (value - 1).bit_length()


_FUNCTIONS: Mapping[str, tuple[tuple[int, int], Callable[..., int]]] = {
    "ceil_div": ((2, 2), _ceil_div),
    "min": ((2, 64), min),
    "max": ((2, 64), max),
    "next_pow2": ((1, 1), _next_pow2),
}


def _names(node: Node) -> set[str]:
    match node:
        case Name(name):
            return {name}
        case Binary(_, left, right):
            return _names(left) | _names(right)
        case Call(_, arguments):
            return set[str]().union(*map(_names, arguments))
        case Number():
            return set()


def _value(expression: Expression, node: Node, values: Mapping[str, int]) -> int:
    match node:
        case Number(value):
            result = value
        case Name(name):
            result = _lookup(expression, name, values)
        case Binary(sign, left, right):
            operands = (_value(expression, left, values), _value(expression, right, values))
            result = _apply(expression, lambda: _binary(sign, *operands))
        case Call("-", (Number(value),)):
            result = -value  # the least of 64 bits has no positive twin
        case Call("-", (operand,)):
            result = -_value(expression, operand, values)
        case Call(function, arguments):
            numbers = [_value(expression, argument, values) for argument in arguments]
            result = _apply(expression, lambda: _FUNCTIONS[function][1](*numbers))
    if not _INT64_MIN <= result <= _INT64_MAX:
        raise ExpressionError(f"expression {expression.text!r}: {result} does not fit in 64 bits")
    return result


def _apply(expression: Expression, operation: Callable[[], int]) -> int:
    try:
        return operation()
    except ArithmeticError as error:
        raise ExpressionError(f"expression {expression.text!r}: {error}") from None


def _binary(sign: str, left: int, right: int) -> int:
    if sign in ("/", "//", "%") and right == 0:
        raise ArithmeticError(f"{left} {sign} 0 divides by zero")
    if sign == "/" and left % right:
        raise ArithmeticError(f"{left} / {right} is not a whole number; use // or ceil_div")
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "%":
            return left % right
        case _:
            return left // right


def _lookup(expression: Expression, name: str, values: Mapping[str, int]) -> int:
    if name in values:
        return values[name]
    known = ", ".join(sorted(n for n in values if not n.startswith("device."))) or "none"
    close = difflib.get_close_matches(name, values, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ExpressionError(f"expression {expression.text!r}: unknown name {name!r}; known: {known}.{hint}")
