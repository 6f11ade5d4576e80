"""Counted loops and what they carry from one iteration to the next."""

from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.analysis.accumulate import Accumulation, accumulations
from warpwright.candidate.analysis.kernel import assigned_names, declared_names
from warpwright.candidate.source_nodes import called_name, field, identifiers, of_type, text_of, unwrapped

_COOPERATIVE = (
    "__sync",
    "__shfl",
    "__ballot",
    "__any",
    "__all",
    "__reduce",
    "__match",
    "__activemask",
    "__threadfence",
)


@dataclass(frozen=True, slots=True)
class Loop:
    """`for (type variable = start; variable < limit; variable += step) body`; step None = 1."""

    node: Node
    variable: str
    type: str
    start: Node
    limit: Node
    step: Node | None
    body: Node


def counted_loop(node: Node) -> Loop | None:
    """The loop in that form; None if it counts otherwise or its variable or limit changes inside."""
    if node.type != "for_statement" or any(node.child_by_field_name(n) is None for n in _PARTS):
        return None
    initializer, condition = field(node, "initializer"), unwrapped(field(node, "condition"))
    declarators = initializer.children_by_field_name("declarator")
    if initializer.type != "declaration" or len(declarators) != 1 or declarators[0].type != "init_declarator":
        return None
    variable, body = text_of(field(declarators[0], "declarator")), field(node, "body")
    limit = _limit(condition, variable)
    stepped, step = _step(field(node, "update"), variable)
    if limit is None or not stepped:
        return None
    changing = assigned_names(body) | declared_names(body)
    if variable in changing or identifiers(limit) & changing or (step is not None and identifiers(step) & changing):
        return None
    start = field(declarators[0], "value")
    return Loop(node, variable, text_of(field(initializer, "type")), start, limit, step, body)


_PARTS = ("initializer", "condition", "update", "body")


def _limit(condition: Node, variable: str) -> Node | None:
    if condition.type != "binary_expression":
        return None
    sign, left, right = text_of(field(condition, "operator")), field(condition, "left"), field(condition, "right")
    if sign == "<" and text_of(left) == variable:
        return right
    return left if sign == ">" and text_of(right) == variable else None


def _step(update: Node, variable: str) -> tuple[bool, Node | None]:
    """Whether the update counts up, and by what (None = 1)."""
    if update.type == "update_expression":
        counts = text_of(field(update, "operator")) == "++" and text_of(field(update, "argument")) == variable
        return counts, None
    if update.type != "assignment_expression" or text_of(field(update, "left")) != variable:
        return False, None
    sign, right = text_of(field(update, "operator")), unwrapped(field(update, "right"))
    if sign == "+=" and variable not in identifiers(right):
        return True, None if text_of(right) == "1" else right
    if sign != "=" or right.type != "binary_expression" or text_of(field(right, "operator")) != "+":
        return False, None
    left, step = field(right, "left"), field(right, "right")
    return text_of(left) == variable and variable not in identifiers(step), step


def carried(loop: Loop) -> dict[str, Accumulation] | str:
    """Scalars that go from iteration to iteration, each a known accumulation; or why the order of iterations matters."""
    outside = assigned_names(loop.body) - declared_names(loop.body)
    found = accumulations(loop.body)
    for name in sorted(outside):
        if name not in found:
            return (
                f"{name!r} is carried from one iteration to the next and is no plain sum, product, minimum or maximum"
            )
    return {name: found[name] for name in outside}


def departure(loop: Loop) -> str | None:
    """Why iterations cannot be shared out: an early exit or something only whole warps or blocks may do."""
    for node in of_type(loop.body, "break_statement", "return_statement", "goto_statement", "gnu_asm_expression"):
        if node.type != "break_statement" or _breaks(node, loop):
            return f"the loop has a {node.type.split('_')[0]}"
    return cooperation(loop.body)


def _breaks(node: Node, loop: Loop) -> bool:
    parent = node.parent
    while parent is not None and parent.type not in (
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
    ):
        parent = parent.parent
    return parent is not None and parent.id == loop.node.id


def cooperation(region: Node) -> str | None:
    """Names the first barrier, shuffle, vote or fence in `region`."""
    for call in of_type(region, "call_expression"):
        name = called_name(call)
        if name.startswith(_COOPERATIVE) or name.endswith(("sync", "arrive", "wait")):
            return f"it calls {name}"
    return None
