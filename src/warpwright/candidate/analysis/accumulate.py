"""Scalars that a loop accumulates into: sums, products, extrema, bit operations."""

from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from warpwright.candidate.source_nodes import (
    arguments_of,
    called_name,
    field,
    identifiers,
    of_type,
    statements_of,
    text_of,
    unwrapped,
)


class Operation(StrEnum):
    """An operation whose order does not matter (floating point: up to rounding)."""

    SUM = "sum"
    PRODUCT = "product"
    MAXIMUM = "max"
    MINIMUM = "min"
    AND = "and"
    OR = "or"
    XOR = "xor"

    @property
    def idempotent(self) -> bool:
        """True if combining a value twice changes nothing."""
        return self in (Operation.MAXIMUM, Operation.MINIMUM, Operation.AND, Operation.OR)

    @property
    def identity(self) -> str | None:
        """The value that changes nothing, as C; None where it depends on the type."""
        return {Operation.SUM: "0", Operation.PRODUCT: "1", Operation.XOR: "0", Operation.OR: "0"}.get(self)


@dataclass(frozen=True, slots=True)
class Accumulation:
    """name: the scalar. combine: C expression over `a` and `b`. uses: every mention of the name in the region."""

    name: str
    operation: Operation
    combine: str
    uses: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    name: str
    operation: Operation
    combine: str
    mentions: int


_BY_ASSIGNMENT = {
    "+=": Operation.SUM,
    "-=": Operation.SUM,
    "*=": Operation.PRODUCT,
    "&=": Operation.AND,
    "|=": Operation.OR,
    "^=": Operation.XOR,
}
_BY_SIGN = {"+": Operation.SUM, "*": Operation.PRODUCT, "&": Operation.AND, "|": Operation.OR, "^": Operation.XOR}
_SIGN = {operation: sign for sign, operation in _BY_SIGN.items()}
_EXTREMA = {
    **dict.fromkeys(("fmaxf", "fmax", "max", "umax", "__hmax"), Operation.MAXIMUM),
    **dict.fromkeys(("fminf", "fmin", "min", "umin", "__hmin"), Operation.MINIMUM),
}
_FUSED = frozenset({"fmaf", "fma", "__fmaf_rn", "__fma_rn"})


def accumulations(region: Node) -> dict[str, Accumulation]:
    """Scalars of which every mention in `region` is part of one and the same accumulation."""
    steps: dict[str, list[_Step]] = {}
    for node in of_type(region, "assignment_expression", "update_expression", "if_statement"):
        step = _step(node)
        if step is not None:
            steps.setdefault(step.name, []).append(step)
    found = {}
    for name, entries in steps.items():
        uses = tuple(n for n in of_type(region, "identifier") if text_of(n) == name)
        same = len({(e.operation, e.combine) for e in entries}) == 1
        if same and len(uses) == sum(e.mentions for e in entries):
            found[name] = Accumulation(name, entries[0].operation, entries[0].combine, uses)
    return found


def _step(node: Node) -> _Step | None:
    if node.type == "update_expression":
        target = field(node, "argument")
        return _Step(text_of(target), Operation.SUM, "a + b", 1) if target.type == "identifier" else None
    if node.type == "if_statement":
        return _conditional(node)
    target, sign, right = field(node, "left"), text_of(field(node, "operator")), unwrapped(field(node, "right"))
    if target.type != "identifier" or _is_guarded_extremum(node):
        return None
    name = text_of(target)
    if sign in _BY_ASSIGNMENT and name not in identifiers(right):
        operation = _BY_ASSIGNMENT[sign]
        return _Step(name, operation, f"a {_SIGN[operation]} b", 1)
    if sign != "=":
        return None
    return _assigned(name, right)


def _assigned(name: str, right: Node) -> _Step | None:
    """`acc = right` as a step."""
    if right.type == "binary_expression":
        sign = text_of(field(right, "operator"))
        if sign in _BY_SIGN and _mentions_once(right, name, sign):
            return _Step(name, _BY_SIGN[sign], f"a {sign} b", 2)
    if right.type == "call_expression":
        called, arguments = called_name(right).rsplit("::", 1)[-1], arguments_of(right)
        others = [a for a in arguments if text_of(a) != name]
        free = all(name not in identifiers(a) for a in others)
        if called in _EXTREMA and len(arguments) == 2 and len(others) == 1 and free:
            return _Step(name, _EXTREMA[called], f"{called_name(right)}(a, b)", 2)
        if called in _FUSED and len(arguments) == 3 and text_of(arguments[2]) == name and len(others) == 2 and free:
            return _Step(name, Operation.SUM, "a + b", 2)
    if right.type == "conditional_expression":
        chosen = field(right, "consequence"), field(right, "alternative")
        return _selected(name, field(right, "condition"), text_of(chosen[0]), text_of(chosen[1]), mentions=3)
    return None


def _mentions_once(expression: Node, name: str, sign: str) -> bool:
    """True if a chain `a + acc + b` of one sign holds the accumulator as one whole operand and nowhere else."""
    operands: list[Node] = []
    pending = [expression]
    while pending:
        node = unwrapped(pending.pop())
        if node.type == "binary_expression" and text_of(field(node, "operator")) == sign:
            pending += [field(node, "left"), field(node, "right")]
        else:
            operands.append(node)
    whole = [n for n in operands if text_of(n) == name]
    return len(whole) == 1 and sum(name in identifiers(n) for n in operands) == 1


def _selected(name: str, condition: Node, chosen: str, other: str, *, mentions: int) -> _Step | None:
    """`acc > v ? acc : v` and its mirror images."""
    condition = unwrapped(condition)
    if condition.type != "binary_expression" or {chosen, other} == {name}:
        return None
    sign, left, right = (
        text_of(field(condition, "operator")),
        text_of(field(condition, "left")),
        text_of(field(condition, "right")),
    )
    if {left, right} != {chosen, other} or name not in (left, right) or sign not in ("<", ">", "<=", ">="):
        return None
    larger_left = sign in (">", ">=")
    operation = Operation.MAXIMUM if (chosen == left) == larger_left else Operation.MINIMUM
    return _Step(name, operation, "a > b ? a : b" if operation is Operation.MAXIMUM else "a < b ? a : b", mentions)


def _conditional(node: Node) -> _Step | None:
    """`if (v > acc) acc = v;`"""
    inner = statements_of(field(node, "consequence"))
    if node.child_by_field_name("alternative") is not None or len(inner) != 1:
        return None
    assignment = inner[0].named_children[0] if inner[0].type == "expression_statement" else inner[0]
    if assignment.type != "assignment_expression" or text_of(field(assignment, "operator")) != "=":
        return None
    name, value = text_of(field(assignment, "left")), text_of(field(assignment, "right"))
    return _selected(name, field(node, "condition"), value, name, mentions=2)


def _is_guarded_extremum(assignment: Node) -> bool:
    """True if the assignment is the inner part of `if (v > acc) acc = v;`."""
    node: Node | None = assignment.parent
    while node is not None and node.type in ("expression_statement", "compound_statement"):
        node = node.parent
    return node is not None and node.type == "if_statement" and _conditional(node) is not None
