"""Accesses to arrays inside a kernel: which array, at which index, and what is done there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from warpwright.candidate.analysis.polynomial import Polynomial, constant, to_polynomial
from warpwright.candidate.source_nodes import arguments_of, called_name, field, text_of, unwrapped, walk

CACHED_LOADS = frozenset({"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv"})


class Deed(StrEnum):
    """What an access does. `escape`: the address leaves our sight."""

    LOAD = "load"
    STORE = "store"
    UPDATE = "update"
    ATOMIC = "atomic"
    ESCAPE = "escape"


class Space(StrEnum):
    """Where an array lives."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Address:
    """An array and an index into it in elements; index None = not understood."""

    base: str
    index: Polynomial | None


@dataclass(frozen=True, slots=True)
class Access:
    """One access. node: the subscript, dereference or call as written; it covers the whole access."""

    base: str
    space: Space
    index: Polynomial | None
    deed: Deed
    node: Node

    @property
    def writes(self) -> bool:
        """True if the array may change."""
        return self.deed is not Deed.LOAD


@dataclass(frozen=True, slots=True)
class Arrays:
    """Names that stand for arrays. aliases: pointers that never change, such as `const float* p = x + r * cols`."""

    spaces: Mapping[str, Space]
    aliases: Mapping[str, Address]
    known: Mapping[str, Polynomial]

    def address(self, node: Node) -> Address | None:
        """Where a pointer expression points; None if it is no pointer into a known array."""
        node = unwrapped(node)
        if node.type == "identifier":
            name = text_of(node)
            return self.aliases.get(name) or (Address(name, constant(0)) if name in self.spaces else None)
        if node.type == "pointer_expression" and text_of(field(node, "operator")) == "&":
            return self._place(unwrapped(field(node, "argument")))
        if node.type == "binary_expression" and text_of(field(node, "operator")) in "+-":
            return self._moved(node)
        if node.type in ("cast_expression", "call_expression"):
            inner = field(node, "value") if node.type == "cast_expression" else next(iter(arguments_of(node)), None)
            found = None if inner is None or not _is_cast(node) else self.address(inner)
            return None if found is None else Address(found.base, None)
        return None

    def _moved(self, node: Node) -> Address | None:
        left, right = field(node, "left"), field(node, "right")
        start = self.address(left)
        if start is None:
            start, right = self.address(right), left
        if start is None or start.index is None:
            return start
        step = to_polynomial(right, self.known)
        return Address(
            start.base, start.index - step if text_of(field(node, "operator")) == "-" else start.index + step
        )

    def _place(self, node: Node) -> Address | None:
        """The array element that an lvalue names."""
        if node.type == "pointer_expression" and text_of(field(node, "operator")) == "*":
            return self.address(field(node, "argument"))
        if node.type != "subscript_expression":
            return None
        start = self.address(field(node, "argument")) or self._place(unwrapped(field(node, "argument")))
        if start is None:
            return None
        nested = unwrapped(field(node, "argument")).type == "subscript_expression"
        indices = field(node, "indices").named_children
        if nested or start.index is None or len(indices) != 1:
            return Address(start.base, None)
        return Address(start.base, start.index + to_polynomial(indices[0], self.known))

    def accesses(self, region: Node) -> Iterator[Access]:
        """Every access at or below `region`, in source order; indices inside accesses are visited too."""
        for node in walk(region):
            found = self._access(node)
            if found is not None:
                yield found

    def _access(self, node: Node) -> Access | None:
        if node.type == "call_expression":
            return self._call(node)
        if node.type == "subscript_expression" or _is_dereference(node):
            return self._element(node)
        if node.type == "identifier" and text_of(node) in (self.spaces.keys() | self.aliases.keys()):
            return self._bare_pointer(node)
        return None

    def _call(self, node: Node) -> Access | None:
        name = called_name(node)
        deed = Deed.ATOMIC if name.startswith("atomic") else Deed.LOAD if name in CACHED_LOADS else None
        arguments = arguments_of(node)
        target = self.address(arguments[0]) if deed is not None and arguments else None
        if deed is None or target is None:
            return None
        return Access(target.base, self.spaces[target.base], target.index, deed, node)

    def _element(self, node: Node) -> Access | None:
        parent = _parent(node)
        if parent.type == "subscript_expression" and _holds(parent, "argument", node):
            return None
        target = self._place(node)
        deed = _deed(node, parent)
        if target is None or deed is None:
            return None
        return Access(target.base, self.spaces[target.base], target.index, deed, node)

    def _bare_pointer(self, node: Node) -> Access | None:
        """A pointer used as a value, outside subscripts, dereferences, known calls and alias declarations."""
        top = node
        parent = _parent(top)
        while parent.type in ("binary_expression", "parenthesized_expression", "cast_expression"):
            top, parent = parent, _parent(parent)
        if parent.type == "subscript_expression" or _is_dereference(parent):
            return None
        if parent.type == "argument_list" and _known_call(_parent(parent)):
            return None
        if parent.type in (
            "init_declarator",
            "array_declarator",
            "pointer_declarator",
            "declaration",
            "subscript_argument_list",
        ):
            name = text_of(node)
            inside = parent.type == "init_declarator" and not _holds(parent, "declarator", top)
            if not inside or self._declares_alias(parent, name):
                return None
        target = self.aliases.get(text_of(node)) or Address(text_of(node), None)
        return Access(target.base, self.spaces[target.base], None, Deed.ESCAPE, node)

    def _declares_alias(self, declarator: Node, name: str) -> bool:
        return any(text_of(n) in self.aliases and text_of(n) != name for n in walk(field(declarator, "declarator")))


def _is_dereference(node: Node) -> bool:
    return node.type == "pointer_expression" and text_of(field(node, "operator")) == "*"


def _is_cast(node: Node) -> bool:
    return node.type == "cast_expression" or called_name(node) in ("reinterpret_cast", "static_cast", "const_cast")


def _known_call(node: Node) -> bool:
    return node.type == "call_expression" and (
        called_name(node).startswith("atomic") or called_name(node) in CACHED_LOADS
    )


def _parent(node: Node) -> Node:
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    return node if parent is None else parent


def _holds(parent: Node, name: str, child: Node) -> bool:
    held = parent.child_by_field_name(name)
    return held is not None and held.start_byte <= child.start_byte and child.end_byte <= held.end_byte


def _deed(node: Node, parent: Node) -> Deed | None:
    member = parent.type == "field_expression"
    while parent.type == "field_expression":
        node, parent = parent, _parent(parent)
    if parent.type == "assignment_expression" and _holds(parent, "left", node):
        return Deed.STORE if text_of(field(parent, "operator")) == "=" and not member else Deed.UPDATE
    if parent.type == "update_expression":
        return Deed.UPDATE
    if parent.type == "pointer_expression" and text_of(field(parent, "operator")) == "&":
        above = _parent(parent)
        if above.type == "argument_list" and _known_call(_parent(above)):
            return None
        if above.type == "init_declarator":
            return None
        return Deed.ESCAPE
    return Deed.LOAD
