"""The bounds check around a kernel's work: `if (i >= n) return;` before it, or `if (i < n) { ... }` around it."""

from collections.abc import Mapping
from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.analysis.kernel import KernelModel
from warpwright.candidate.source_nodes import field, statements_of, text_of, unwrapped

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A kernel as declarations, a guard and the guarded work.

    prefix: statements before the guard. limits: index variable -> its bound (exclusive). guards: the `if` statements.
    nested: the work lies inside the one guard; else it follows the guards.
    """

    prefix: tuple[Node, ...]
    limits: Mapping[str, Node]
    guards: tuple[Node, ...]
    body: tuple[Node, ...]
    nested: bool


def skeleton_of(kernel: KernelModel) -> Skeleton | None:
    """How the kernel is guarded, limits empty if not at all; None if work precedes or follows a guard around other work."""
    names = {index.name for index in kernel.indices}
    statements = statements_of(kernel.function.body)
    found = [_guard_limits(statement, names) for statement in statements]
    leaving = [limits is not None and not _nests(s) for limits, s in zip(found, statements, strict=True)]
    head = next((i for i, s in enumerate(statements) if s.type != "declaration" and not leaving[i]), len(statements))
    last = max((i for i in range(head) if leaving[i]), default=-1)
    if last >= 0:
        prefix = tuple(s for i, s in enumerate(statements[:last]) if not leaving[i])
        guards = tuple(s for i, s in enumerate(statements) if leaving[i] and i <= last)
        limits = {name: bound for i in range(last + 1) for name, bound in (found[i] or {}).items()}
        return Skeleton(prefix, limits, guards, tuple(statements[last + 1 :]), nested=False)
    if head < len(statements) and found[head] is not None:
        if head != len(statements) - 1:
            return None
        body = statements_of(field(statements[head], "consequence"))
        return Skeleton(tuple(statements[:head]), found[head] or {}, (statements[head],), tuple(body), nested=True)
    return Skeleton(tuple(statements[:head]), {}, (), tuple(statements[head:]), nested=False)


def _nests(statement: Node) -> bool:
    consequence = field(statement, "consequence")
    inner = statements_of(consequence)
    return not (len(inner) == 1 and inner[0].type == "return_statement")


def _guard_limits(statement: Node, names: set[str]) -> dict[str, Node] | None:
    """Index variable -> bound for a guard; None if the statement is none."""
    if statement.type != "if_statement" or statement.child_by_field_name("alternative") is not None:
        return None
    leaves = not _nests(statement)
    limits: dict[str, Node] = {}
    for comparison in _operands(field(statement, "condition"), "||" if leaves else "&&"):
        found = _bound(comparison, names, ">=" if leaves else "<")
        if found is None:
            return None
        limits[found[0]] = found[1]
    return limits


def _operands(condition: Node, sign: str) -> list[Node]:
    condition = unwrapped(condition)
    if condition.type == "binary_expression" and text_of(field(condition, "operator")) == sign:
        return [*_operands(field(condition, "left"), sign), *_operands(field(condition, "right"), sign)]
    return [condition]


def _bound(comparison: Node, names: set[str], wanted: str) -> tuple[str, Node] | None:
    if comparison.type != "binary_expression":
        return None
    sign = text_of(field(comparison, "operator"))
    left, right = unwrapped(field(comparison, "left")), unwrapped(field(comparison, "right"))
    if text_of(right) in names:
        sign, left, right = _MIRRORED.get(sign, ""), right, left
    return (text_of(left), right) if sign == wanted and text_of(left) in names else None
