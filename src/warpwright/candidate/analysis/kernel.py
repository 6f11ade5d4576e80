"""A kernel as the moves see it: what its names stand for, which of them are thread indices, what guards its body."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.analysis.access import Address, Arrays, Space
from warpwright.candidate.analysis.polynomial import Polynomial, atom, to_polynomial
from warpwright.candidate.source import Function, SourceFile
from warpwright.candidate.source_nodes import declared_name, mentioned_names, of_type, text_of
from warpwright.candidate.source_nodes import field as child

AXES = ("x", "y", "z")
_FLOATING = ("float", "double", "half", "bfloat16")


@dataclass(frozen=True, slots=True)
class Local:
    """A declared local. type: as written, without pointer and initialiser. declaration: the whole statement."""

    name: str
    type: str
    pointer: bool
    array: bool
    shared: bool
    value: Node | None
    declaration: Node
    declarator: Node


@dataclass(frozen=True, slots=True)
class IndexVariable:
    """A local that numbers the threads of the grid along one axis."""

    name: str
    axis: str
    type: str
    local: Local


@dataclass(frozen=True, slots=True)
class KernelModel:
    """known: integer locals that never change, as polynomials of parameters and thread coordinates."""

    source: SourceFile
    function: Function
    locals: tuple[Local, ...]
    assigned: frozenset[str]
    known: Mapping[str, Polynomial]
    arrays: Arrays
    indices: tuple[IndexVariable, ...]

    def index(self, axis: str) -> IndexVariable | None:
        """The index variable along an axis."""
        return next((i for i in self.indices if i.axis == axis), None)

    def local(self, name: str) -> Local | None:
        """The local of that name, if it is declared exactly once."""
        found = [entry for entry in self.locals if entry.name == name]
        return found[0] if len(found) == 1 else None

    def polynomial(self, node: Node) -> Polynomial:
        """An integer expression of this kernel, with unchanging locals put in."""
        return to_polynomial(node, self.known)

    def fresh(self, name: str, taken: Collection[str] = ()) -> str:
        """`name`, or the first of `name_2`, `name_3` ... that neither the file nor `taken` uses yet."""
        used = mentioned_names(self.source.tree.root_node) | set(taken)
        return next(n for n in (name, *(f"{name}_{i}" for i in range(2, 1000))) if n not in used)


def read_kernel(source: SourceFile, entry: str, block: tuple[str, ...], *, named_indices: bool = False) -> KernelModel:
    """Analyse one kernel. block: the launch plan's block expressions, for kernels that write `BLOCK` for `blockDim.x`.

    named_indices: index variables stay names in polynomials instead of becoming thread and block coordinates.
    Raises: CandidateError if the file has no such kernel.
    """
    function = source.kernel(entry)
    entries = tuple(_locals(function.body))
    assigned = frozenset(assigned_names(function.body))
    names = [local.name for local in entries]
    single = [e for e in entries if names.count(e.name) == 1 and e.name not in assigned and e.value is not None]
    known = _known_integers(single)
    indices = tuple(found for e in single if (found := _index_variable(e, known, block)) is not None)
    if named_indices:
        kept = {index.name for index in indices}
        known = _known_integers([e for e in single if e.name not in kept])
    arrays = _arrays(function, entries, single, known)
    return KernelModel(source, function, entries, assigned, known, arrays, indices)


def assigned_names(region: Node) -> set[str]:
    """Variables that `region` changes, whole or in part: assigned, counted up or down, or with their address taken."""
    changed: set[str] = set()
    for node in of_type(region, "assignment_expression", "update_expression", "pointer_expression"):
        if node.type == "pointer_expression" and text_of(child(node, "operator")) != "&":
            continue
        target = child(node, "left") if node.type == "assignment_expression" else child(node, "argument")
        while target.type == "field_expression":
            target = child(target, "argument")
        if target.type == "identifier":
            changed.add(text_of(target))
    return changed


def declared_names(region: Node) -> set[str]:
    """Names that `region` declares."""
    return {local.name for local in _locals(region)}


def _locals(region: Node) -> list[Local]:
    found: list[Local] = []
    for declaration in of_type(region, "declaration"):
        qualifiers = {
            text_of(n) for n in declaration.children if n.type in ("type_qualifier", "storage_class_specifier")
        }
        for declarator in declaration.children_by_field_name("declarator"):
            inner = child(declarator, "declarator") if declarator.type == "init_declarator" else declarator
            name = declared_name(inner)
            if name is None:
                continue
            shape = {n.type for n in of_type(inner, *_SHAPES)}
            found.append(
                Local(
                    name=name,
                    type=text_of(child(declaration, "type")),
                    pointer="pointer_declarator" in shape,
                    array="array_declarator" in shape,
                    shared="__shared__" in qualifiers,
                    value=declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None,
                    declaration=declaration,
                    declarator=declarator,
                )
            )
    return found


_SHAPES = ("pointer_declarator", "array_declarator")


def _known_integers(single: list[Local]) -> dict[str, Polynomial]:
    known: dict[str, Polynomial] = {}
    for local in single:
        floating = any(word in local.type for word in _FLOATING)
        if local.value is not None and not (floating or local.pointer or local.array):
            known[local.name] = to_polynomial(local.value, known)
    return known


def _arrays(
    function: Function, entries: tuple[Local, ...], single: list[Local], known: Mapping[str, Polynomial]
) -> Arrays:
    spaces = {p.name: Space.GLOBAL for p in function.parameters if p.pointer}
    for local in entries:
        if local.shared:
            spaces[local.name] = Space.SHARED
        elif local.array:
            spaces[local.name] = Space.LOCAL
    aliases: dict[str, Address] = {}
    for local in single:
        if local.pointer and local.value is not None:
            target = Arrays(spaces, aliases, known).address(local.value)
            if target is not None:
                aliases[local.name] = target
    return Arrays(spaces, aliases, known)


def _index_variable(local: Local, known: Mapping[str, Polynomial], block: tuple[str, ...]) -> IndexVariable | None:
    value = known.get(local.name)
    for axis, size in zip(AXES, (*block, "1", "1"), strict=False):
        thread = atom(f"threadIdx.{axis}")
        widths = [atom(f"blockDim.{axis}"), atom(size)]
        if value is not None and any(value == atom(f"blockIdx.{axis}") * width + thread for width in widths):
            return IndexVariable(local.name, axis, local.type, local)
    return None
