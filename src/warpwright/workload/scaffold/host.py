"""Host code around a launch: what its variables, macros and `dim3` values mean as plan expressions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.analysis.kernel import AXES
from warpwright.candidate.analysis.polynomial import integer_literal
from warpwright.candidate.expressions import ExpressionError, evaluate, parse
from warpwright.candidate.source import SourceFile
from warpwright.candidate.source_nodes import (
    arguments_of,
    called_name,
    cast_operand,
    field,
    of_type,
    text_of,
    unwrapped,
)

_SIGNS = {"+": "+", "-": "-", "*": "*", "/": "//", "%": "%"}
_DEPTH = 8
"""Longest chain of variables that is followed."""


@dataclass(frozen=True, slots=True)
class Host:
    """values: names of host code whose plan expression is known, such as arguments passed for sizes."""

    source: SourceFile
    values: Mapping[str, str]

    def expression(self, node: Node, depth: int = 0) -> str | None:
        """A plan expression for an integer expression; None if a part of it is not understood."""
        node = unwrapped(node)
        found: str | None = None
        match node.type if depth <= _DEPTH else "":
            case "number_literal":
                value = integer_literal(text_of(node))
                found = None if value is None else str(value)
            case "identifier" | "type_identifier":
                found = self._name(text_of(node), depth)
            case "cast_expression":
                operand = cast_operand(node)
                found = None if operand is None else self.expression(operand, depth + 1)
            case "field_expression":
                found = self._part(node, depth)
            case "binary_expression":
                found = self._binary(node, depth)
        return found

    def sizes(self, node: Node, depth: int = 0) -> tuple[str, ...] | None:
        """A `dim3` (written out, or a variable of that type) or a plain integer, without trailing ones."""
        node = unwrapped(node)
        if node.type == "call_expression" and called_name(node) == "dim3":
            return self._all(arguments_of(node))
        if node.type == "identifier" and depth < _DEPTH:
            listed = _dim3_arguments(self.source, text_of(node))
            if listed is not None:
                return self._all(listed)
            declared = self._declaration(text_of(node))
            if declared is not None and declared.type == "call_expression":
                return self.sizes(declared, depth + 1)
        single = self.expression(node, depth)
        return None if single is None else (single,)

    def _name(self, name: str, depth: int) -> str | None:
        if name in self.values:
            return self.values[name]
        for macro in of_type(self.source.tree.root_node, "preproc_def"):
            value = macro.child_by_field_name("value")
            if text_of(field(macro, "name")) == name and value is not None:
                number = integer_literal(text_of(value).strip("() "))
                return None if number is None else str(number)
        declared = self._declaration(name)
        return None if declared is None else self.expression(declared, depth + 1)

    def _declaration(self, name: str) -> Node | None:
        """The initial value of a variable."""
        for node in of_type(self.source.tree.root_node, "init_declarator"):
            if text_of(field(node, "declarator")) == name:
                return node.child_by_field_name("value")
        return None

    def _part(self, node: Node, depth: int) -> str | None:
        """`block.x` of a known dim3."""
        axis = text_of(field(node, "field"))
        whole = self.sizes(field(node, "argument"), depth + 1) if axis in AXES else None
        if whole is None:
            return None
        return (*whole, "1", "1")[AXES.index(axis)]

    def _binary(self, node: Node, depth: int) -> str | None:
        sign = text_of(field(node, "operator"))
        left, right = self.expression(field(node, "left"), depth + 1), self.expression(field(node, "right"), depth + 1)
        if left is None or right is None or sign not in _SIGNS:
            return None
        rounded = self._rounded_up(field(node, "left"), right, depth) if sign == "/" else None
        return rounded or f"{_bracketed(left)} {_SIGNS[sign]} {_bracketed(right)}"

    def _rounded_up(self, dividend: Node, divisor: str, depth: int) -> str | None:
        """`(n + b - 1) / b` as `ceil_div(n, b)`."""
        terms = [(self.expression(node, depth + 1), sign) for node, sign in _terms(dividend)]
        for position, (size, sign) in enumerate(terms):
            rest = terms[:position] + terms[position + 1 :]
            added = "0" + "".join(f" {'+' if s > 0 else '-'} {t}" for t, s in rest)
            if size is not None and sign > 0 and rest and _is_one_less(added, divisor):
                return f"ceil_div({size}, {divisor})"
        return None

    def _all(self, nodes: Sequence[Node]) -> tuple[str, ...] | None:
        sizes = [size for node in nodes if (size := self.expression(node)) is not None]
        if not sizes or len(sizes) != len(nodes):
            return None
        while len(sizes) > 1 and sizes[-1] == "1":
            sizes.pop()
        return tuple(sizes)


def _dim3_arguments(source: SourceFile, name: str) -> list[Node] | None:
    """The arguments of `dim3 name(x, y);`, which the grammar takes for a function's declaration when they are names."""
    for node in of_type(source.tree.root_node, "init_declarator", "function_declarator"):
        if text_of(field(node, "declarator")) != name:
            continue
        if node.type == "function_declarator":
            return [field(p, "type") for p in field(node, "parameters").named_children if p.child_by_field_name("type")]
        value = node.child_by_field_name("value")
        if value is not None and value.type in ("argument_list", "initializer_list"):
            return value.named_children
    return None


def _terms(node: Node, sign: int = 1) -> list[tuple[Node, int]]:
    """Terms of a sum with their signs."""
    node = unwrapped(node)
    if node.type == "binary_expression" and text_of(field(node, "operator")) in "+-":
        minus = text_of(field(node, "operator")) == "-"
        return [*_terms(field(node, "left"), sign), *_terms(field(node, "right"), -sign if minus else sign)]
    return [(node, sign)]


def _is_one_less(added: str, divisor: str) -> bool:
    """True if `added` is `divisor - 1`, tried with numbers."""
    try:
        names = sorted(parse(added).names | parse(divisor).names)
        probes = [{name: first + 3 * i for i, name in enumerate(names)} for first in (7, 100)]
        return all(evaluate(added, probe) == evaluate(divisor, probe) - 1 for probe in probes)
    except ExpressionError:
        return False


def _bracketed(text: str) -> str:
    return text if text.replace("_", "").isalnum() or text.startswith("ceil_div(") else f"({text})"
