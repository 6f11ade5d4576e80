"""Whether the source is spread over several blocks: then no one of them is what the model means."""

from collections.abc import Sequence

from tree_sitter import Node

from warpwright.candidate.source_nodes import declared_name, mentioned_names, of_type, text_of, walk
from warpwright.proposer.model.reply.code_block import CodeBlock

_TYPES = ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "alias_declaration")
_MACROS = ("preproc_def", "preproc_function_def")
_CONTAINERS = ("linkage_specification", "declaration_list", "namespace_definition", "template_declaration")


def spread(code: CodeBlock, blocks: Sequence[CodeBlock]) -> str | None:
    """What the chosen block needs and only another one has, in words; None if it stands by itself."""
    others = [block for block in blocks if block is not code]
    if not others:
        return None
    root = code.source.tree.root_node
    needed = mentioned_names(root) - _declared(root)
    for other in others:
        only_there = sorted(needed & _top_level(other.source.tree.root_node))
        if only_there:
            return f"{only_there[0]!r} is defined in another block only"
        missing = _includes(other) - _includes(code)
        if missing and other.position < code.position:
            return f"{sorted(missing)[0]} stands in another block only"
    return None


def _includes(code: CodeBlock) -> set[str]:
    return {" ".join(text_of(node).split()) for node in of_type(code.source.tree.root_node, "preproc_include")}


def _top_level(root: Node) -> set[str]:
    """Names that a block defines for what comes after it."""
    names: set[str] = set()
    pending = list(root.children)
    while pending:
        node = pending.pop()
        if node.type in _CONTAINERS or node.type.startswith("preproc_if"):
            pending += node.children
        names |= _names_of(node)
    return names


def _declared(root: Node) -> set[str]:
    """Every name that is declared anywhere, locals and parameters too."""
    return set().union(*(_names_of(node) for node in walk(root)))


def _names_of(node: Node) -> set[str]:
    if node.type in (*_TYPES, *_MACROS):
        name = node.child_by_field_name("name")
        return set() if name is None else {text_of(name)}
    if node.type in (
        "declaration",
        "parameter_declaration",
        "function_definition",
        "type_definition",
        "for_range_loop",
    ):
        names = {declared_name(child) for child in node.children_by_field_name("declarator")}
        names |= {text_of(c) for c in node.children_by_field_name("declarator") if c.type == "type_identifier"}
        return {name for name in names if name}
    return set()
