"""Small questions asked of syntax tree nodes; every reader of CUDA source goes through these."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from warpwright.errors import CandidateError

LOOPS = frozenset({"for_statement", "while_statement", "do_statement"})
CONDITIONALS = frozenset({"if_statement", "switch_statement", "conditional_expression"})


def text_of(node: Node) -> str:
    """The node's source text."""
    return (node.text or b"").decode()


def line_of(node: Node) -> int:
    """Line on which the node begins, from 1."""
    return node.start_point[0] + 1


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in source order."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(current.children))


def of_type(node: Node, *kinds: str) -> Iterator[Node]:
    """Nodes of these grammar types at or below `node`, in source order."""
    return (n for n in walk(node) if n.type in kinds)


def statements_of(body: Node) -> list[Node]:
    """Statements of a compound statement without comments; a single statement counts as a list of one."""
    if body.type != "compound_statement":
        return [body]
    return [child for child in body.named_children if child.type != "comment"]


def field(node: Node, name: str) -> Node:
    """The child in that field. Raises: CandidateError if the syntax tree has none there."""
    child = node.child_by_field_name(name)
    if child is None:
        message = f"line {line_of(node)}: a {node.type} without {name} cannot be read: {text_of(node)[:60]!r}"
        raise CandidateError(message)
    return child


def unwrapped(node: Node) -> Node:
    """The expression inside any number of parentheses."""
    while node.type in ("parenthesized_expression", "condition_clause"):
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) != 1:
            return node
        node = inner[0]
    return node


def loop_start(loop: Node, text: str) -> int:
    """Byte at which a loop begins in `text`, its own `#pragma unroll` included."""
    before = text.encode()[: loop.start_byte]
    line = before.rstrip().rsplit(b"\n", 1)[-1]
    if not re.match(rb"\s*#\s*pragma\s+unroll\b", line):
        return loop.start_byte
    return before.rindex(line) + len(line) - len(line.lstrip())


def identifiers(node: Node) -> set[str]:
    """Every identifier at or below the node, fields left out; type names too, for `(i * (j)) + k` may be read as a cast."""
    return {text_of(n) for n in of_type(node, "identifier", "type_identifier")}


def cast_operand(node: Node) -> Node | None:
    """What `(int)x` casts; None where the type has a declarator: a pointer, or a product that was read as a type."""
    if node.type != "cast_expression" or field(node, "type").child_by_field_name("declarator") is not None:
        return None
    return field(node, "value")


def mentioned_names(root: Node) -> set[str]:
    """Every name that stands anywhere in the source, macro bodies included: what a `-DNAME=value` could reach."""
    names = {text_of(n) for n in of_type(root, "identifier", "type_identifier", "field_identifier")}
    for macro in of_type(root, "preproc_arg"):
        names |= set(re.findall(r"[A-Za-z_]\w*", text_of(macro)))
    return names


def ancestors(node: Node, top: Node) -> Iterator[Node]:
    """Parents from the node's own up to, not including, `top`."""
    parent = node.parent
    while parent is not None and parent.id != top.id:
        yield parent
        parent = parent.parent


def called_name(call: Node) -> str:
    """Name of the function that a call expression calls, without template arguments."""
    function = field(call, "function")
    if function.type in ("template_function", "template_method"):
        function = field(function, "name")
    return text_of(function)


def arguments_of(call: Node) -> list[Node]:
    """Arguments of a call, in order."""
    return [child for child in field(call, "arguments").named_children if child.type != "comment"]


def declared_name(declarator: Node) -> str | None:
    """The identifier inside a declarator (pointer, reference, array, initialised); None for abstract ones."""
    named = next(of_type(declarator, "identifier"), None)
    return None if named is None else text_of(named)
