"""A loop over contiguous elements in packs: aligned packs first, the rest one by one."""

from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.analysis.access import Access, Deed, Space
from warpwright.candidate.analysis.distribution import Among, Distribution
from warpwright.candidate.analysis.kernel import declared_names
from warpwright.candidate.analysis.loops import Loop
from warpwright.candidate.source_edit import Edit, edited_node, replace_node
from warpwright.candidate.source_nodes import (
    CONDITIONALS,
    LOOPS,
    ancestors,
    arguments_of,
    field,
    identifiers,
    loop_start,
    of_type,
    text_of,
)
from warpwright.proposer.strategist.rewriting.sizes import BYTES_OF_TYPE
from warpwright.proposer.strategist.rewriting.subject import Subject


@dataclass(frozen=True, slots=True)
class PackNames:
    """Names that the packed loop introduces: the pack type, its width (a tunable), counters."""

    type: str
    width: str
    chunk: str
    chunks: str
    element: str


@dataclass(frozen=True, slots=True)
class Packed:
    """An array accessed in packs. name: of the pack variable. accesses: those that the pack replaces."""

    base: str
    element: str
    name: str
    accesses: tuple[Access, ...]

    @property
    def address(self) -> str:
        """C expression for the address of the element that the loop variable names."""
        node = self.accesses[0].node
        return text_of(arguments_of(node)[0]) if node.type == "call_expression" else f"&{text_of(node)}"

    @property
    def loads(self) -> bool:
        """True if the pack's old contents are needed."""
        return any(access.deed is not Deed.STORE for access in self.accesses)

    @property
    def stores(self) -> bool:
        """True if the pack is written back."""
        return any(access.writes for access in self.accesses)


def packable(subject: Subject, loop: Loop, among: Among) -> list[Packed]:
    """Arrays of the loop that can be moved in packs."""
    if any(True for _ in of_type(loop.body, "continue_statement")):
        return []
    kernel = subject.kernel
    accesses = [a for a in kernel.arrays.accesses(loop.body) if a.space is Space.GLOBAL]
    elsewhere = [a for a in kernel.arrays.accesses(kernel.function.body) if not _within(a.node, loop.node)]
    local = declared_names(loop.body)
    found = []
    for base in dict.fromkeys(a.base for a in accesses):
        own = [a for a in accesses if a.base == base]
        if among is not Among.ALONE and _conflict(own, [a for a in elsewhere if a.base == base]):
            return []
        chosen = _chosen(loop, own, local)
        parameter = kernel.function.parameter(base)
        if chosen and parameter is not None and parameter.element in BYTES_OF_TYPE and "volatile" not in parameter.text:
            found.append(Packed(base, parameter.element, kernel.fresh(f"{base}_pack"), tuple(chosen)))
    return found


def _conflict(own: list[Access], others: list[Access]) -> bool:
    """True if elements change hands between this loop and the rest of the kernel: who owns which must then stay."""
    return bool(others) and any(a.writes for a in (*own, *others))


def _chosen(loop: Loop, own: list[Access], local: set[str]) -> list[Access]:
    """The accesses to one array that a pack can replace; empty if none or if a store could not be among them."""
    fit = [a for a in own if _fits(a, loop, local)]
    if not fit:
        return []
    same = [a for a in fit if a.index == fit[0].index]
    written = any(a.writes for a in own)
    sure = [a for a in same if _unconditional(a.node, loop)]
    if written:
        return same if len(same) == len(own) == len(sure) else []
    return same if sure else []


def _fits(access: Access, loop: Loop, local: set[str]) -> bool:
    if access.index is None or access.deed is Deed.ATOMIC or access.deed is Deed.ESCAPE:
        return False
    stride = access.index.stride(loop.variable)
    return stride is not None and stride.value == 1 and not identifiers(access.node) & local


def _unconditional(node: Node, loop: Loop) -> bool:
    for above in ancestors(node, loop.body):
        if above.type in CONDITIONALS or above.type in LOOPS:
            return False
        if above.type == "binary_expression" and text_of(field(above, "operator")) in ("&&", "||"):
            return False
    return True


def _within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def vector_loop(loop: Loop, dealt: Distribution, packs: list[Packed], names: PackNames, source: str) -> Edit:
    """The edit that puts the packed loop, and the plain loops for what is left, in place of the loop and its pragma."""
    variable, kind, limit, size = loop.variable, loop.type, text_of(loop.limit), dealt.size
    width, chunk, chunks = names.width, names.chunk, names.chunks
    body = text_of(loop.body)
    types = {pack.base: f"{names.type}<{pack.element}, {width}>" for pack in packs}
    aligned = " && ".join(
        f"reinterpret_cast<unsigned long long>({p.address}) % alignof({types[p.base]}) == 0" for p in packs
    )
    swaps = [replace_node(a.node, f"{p.name}.value[{names.element}]") for p in packs for a in p.accesses]
    first = f"({dealt.first} + {width} - 1) / {width}" if dealt.first else "0"
    tail = f"({chunks} > 0 ? {chunks} * {width} : {dealt.first})" if dealt.first else f"{chunks} * {width}"
    lines = [
        f"{kind} {chunks} = 0;",
        f"{{ const {kind} {variable} = 0; if ({limit} > 0 && {aligned}) {chunks} = ({limit}) / {width}; }}",
        *_head(loop, dealt, first, names),
        f"for ({kind} {chunk} = {_sum(first, dealt.rank)}; {chunk} < {chunks}; {chunk} += {size}) {{",
        *(f"    {types[p.base]} {p.name};" for p in packs),
        *(f"    {_at_chunk(loop, names, f'{p.name} = {_pack_at(p, types, const=True)};')}" for p in packs if p.loads),
        "#pragma unroll",
        f"    for (int {names.element} = 0; {names.element} < {width}; ++{names.element}) {{",
        f"        const {kind} {variable} = {chunk} * {width} + {names.element};",
        f"        {edited_node(loop.body, swaps)}",
        "    }",
        *(f"    {_at_chunk(loop, names, f'{_pack_at(p, types, const=False)} = {p.name};')}" for p in packs if p.stores),
        "}",
        f"for ({kind} {variable} = {_sum(tail, dealt.rank)}; {variable} < {limit}; {variable} += {size}) {body}",
    ]
    indent = " " * loop.node.start_point[1]
    text = f"\n{indent}".join(line for line in lines)
    alone = loop.node.parent is not None and loop.node.parent.type != "compound_statement"
    return Edit(loop_start(loop.node, source), loop.node.end_byte, f"{{ {text} }}" if alone else text)


def _sum(first: str, second: str) -> str:
    """C text of a sum without needless zeros."""
    return " + ".join(part for part in (first, second) if part != "0") or "0"


def _head(loop: Loop, dealt: Distribution, first: str, names: PackNames) -> list[str]:
    """The elements before the first whole pack of a loop that does not begin at 0."""
    if not dealt.first:
        return []
    until = f"({names.chunks} > 0 ? {first} * {names.width} : {dealt.first})"
    variable, start = loop.variable, _sum(str(dealt.first), dealt.rank)
    return [
        f"if ({names.chunks} <= {first}) {names.chunks} = 0;",
        f"for ({loop.type} {variable} = {start}; {variable} < {until}; {variable} += {dealt.size}) {text_of(loop.body)}",
    ]


def _at_chunk(loop: Loop, names: PackNames, statement: str) -> str:
    """A statement that names the chunk's first element by the loop variable."""
    return f"{{ const {loop.type} {loop.variable} = {names.chunk} * {names.width}; {statement} }}"


def _pack_at(pack: Packed, types: dict[str, str], *, const: bool) -> str:
    return f"*reinterpret_cast<{'const ' if const else ''}{types[pack.base]}*>({pack.address})"
