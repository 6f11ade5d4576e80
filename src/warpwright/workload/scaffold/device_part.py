"""The device code of a .cu file: what is left when host functions and host headers are taken out."""

from tree_sitter import Node

from warpwright.candidate.source import SourceFile
from warpwright.candidate.source_edit import Edit, edited_text
from warpwright.candidate.source_nodes import field, of_type, text_of

_DEVICE_HEADERS = ("cuda", "cooperative_groups", "mma.h", "math.h", "stdint.h", "assert.h", "float.h", "limits.h", "string.h",
                   "cstdint", "cmath", "cfloat", "climits", "cassert", "cuda/", "cub/", "cstddef", "stddef.h")  # fmt: skip


def device_part(source: SourceFile) -> tuple[str, tuple[str, ...]]:
    """The source without host code, and the names of what was left out."""
    dropped: list[str] = []
    edits: list[Edit] = []
    for node in source.host:
        if _is_constant_expression(node):
            continue
        outer = _whole(node)
        edits.append(Edit(outer.start_byte, outer.end_byte, ""))
        dropped.append(_name(node))
    if edits:
        for include in of_type(source.tree.root_node, "preproc_include"):
            header = text_of(field(include, "path")).strip('<>"')
            if not header.startswith(_DEVICE_HEADERS):
                edits.append(Edit(include.start_byte, include.end_byte, ""))
                dropped.append(f"#include {text_of(field(include, 'path'))}")
    return edited_text(source.text, edits).strip() + "\n", tuple(dropped)


def _is_constant_expression(node: Node) -> bool:
    return any(text_of(child) == "constexpr" for child in node.children)


def _whole(node: Node) -> Node:
    """The definition with its template head."""
    parent = node.parent
    return parent if parent is not None and parent.type == "template_declaration" else node


def _name(node: Node) -> str:
    declarator = field(node, "declarator")
    while declarator.child_by_field_name("declarator") is not None:
        declarator = field(declarator, "declarator")
    return f"{text_of(declarator)}()"
