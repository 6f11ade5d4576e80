"""One thread's row becomes the work of a group: loops are shared out, accumulations combined, results written once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from warpwright.candidate.analysis.access import Access, Deed, Space
from warpwright.candidate.analysis.accumulate import Accumulation
from warpwright.candidate.analysis.kernel import IndexVariable, KernelModel, assigned_names
from warpwright.candidate.analysis.loops import Loop, counted_loop
from warpwright.candidate.analysis.polynomial import integer_literal
from warpwright.candidate.analysis.sharing import shareable, unit_stride
from warpwright.candidate.source_edit import Edit, apply_edits, insert_after, insert_before, replace_node
from warpwright.candidate.source_nodes import LOOPS, loop_start, of_type, statements_of, text_of
from warpwright.candidate.source_nodes import field as child
from warpwright.proposer.strategist.rewriting.group import SHUFFLED_TYPES, Group, combined, partial_start
from warpwright.proposer.strategist.rewriting.move import Refusal


class _NotUnderstood(Exception):
    """Why the kernel cannot be rewritten; never leaves this module."""


def share_rows(kernel: KernelModel, index: IndexVariable, group: Group) -> str | Refusal:
    """The source in which a group does the work that a thread did for each value of `index`."""
    rewriter = _RowRewriter(kernel, group)
    try:
        rewriter.statements(statements_of(kernel.function.body))
    except _NotUnderstood as reason:
        return Refusal(str(reason))
    if not rewriter.contiguous:
        return Refusal("no loop runs along contiguous elements, so lanes that share it would not read side by side")
    declaration, value = index.local.declaration, index.local.value
    if value is None:
        return Refusal(f"{index.name} has no initial value")
    lane = f"const {index.type} {group.lane} = {group.place};\n{' ' * declaration.start_point[1]}"
    helpers = "".join(text for _, text in rewriter.helpers.values())
    edits = [insert_before(declaration, lane), replace_node(value, group.row)]
    edits.append(insert_before(kernel.function.outer, helpers))
    return apply_edits(kernel.source, [*edits, *rewriter.edits]).text


@dataclass(slots=True)
class _Touched:
    """Arrays written and read."""

    written: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)

    def joined(self, other: "_Touched") -> "_Touched":
        return _Touched(self.written | other.written, self.read | other.read)


@dataclass(slots=True)
class _RowRewriter:
    """Walks through the kernel's statements and gathers edits.

    everyones, firsts: arrays touched since the group last waited, by any thread and by its first thread alone.
    """

    kernel: KernelModel
    group: Group
    edits: list[Edit] = field(default_factory=list)
    helpers: dict[str, tuple[str, str]] = field(default_factory=dict)
    everyones: _Touched = field(default_factory=_Touched)
    firsts: _Touched = field(default_factory=_Touched)
    parts: set[str] = field(default_factory=set)
    contiguous: bool = False

    def statements(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self, node: Node) -> None:
        match node.type:
            case "declaration":
                self.everyone(node)
            case "expression_statement":
                self.expression(node)
            case "for_statement" | "while_statement" | "do_statement":
                self.loop(node)
            case "if_statement":
                self.everyone(child(node, "condition"), before=node)
                self.branches(node)
            case "compound_statement":
                self.statements(statements_of(node))
            case "return_statement" | "preproc_call" | "break_statement" | "continue_statement" | ";":
                pass
            case other:
                raise _NotUnderstood(f"line {node.start_point[0] + 1}: a {other.replace('_', ' ')} is not understood")

    def branches(self, node: Node) -> None:
        self.statements(statements_of(child(node, "consequence")))
        otherwise = node.child_by_field_name("alternative")
        if otherwise is not None:
            for inner in otherwise.named_children:
                self.statements(statements_of(inner))

    def everyone(self, node: Node, *, before: Node | None = None) -> None:
        """Every thread of the group evaluates `node`, so it must not change memory."""
        accesses = self.accesses(node)
        for access in accesses:
            if access.writes and access.space is not Space.LOCAL:
                raise _NotUnderstood(f"line {node.start_point[0] + 1}: {access.base!r} is changed inside an expression")
        self.order(accesses, before or node)

    def expression(self, node: Node) -> None:
        """A result is written by one thread; a scalar is computed by every thread."""
        accesses = self.accesses(node)
        if not any(a.writes and a.space is not Space.LOCAL for a in accesses):
            self.order(accesses, node)
            return
        if assigned_names(node):
            raise _NotUnderstood(f"line {node.start_point[0] + 1}: a scalar and memory are changed by one statement")
        self.order(accesses, node, first=True)
        alone = node.parent is not None and node.parent.type != "compound_statement"
        once = f"if ({self.group.lane} == 0) "
        self.edits += (
            [insert_before(node, "{ " + once), insert_after(node, " }")] if alone else [insert_before(node, once)]
        )

    def loop(self, node: Node) -> None:
        """Share the loop out, or let every thread run it and look inside."""
        counted = counted_loop(node)
        inner = list(of_type(child(node, "body"), *LOOPS))
        why = "it is no counted loop" if counted is None else shareable(self.kernel, counted)
        contiguous = counted is not None and unit_stride(self.kernel, counted)
        if counted is not None and not isinstance(why, str) and (contiguous or not inner):
            self.share(counted, why)
            self.contiguous |= contiguous
            return
        if not inner and not self.short(counted):
            raise _NotUnderstood(f"line {node.start_point[0] + 1}: the loop cannot be shared: {why}")
        self.repeated(node)

    def short(self, counted: Loop | None) -> bool:
        """True for a loop of a few iterations, known at compile time, that every thread may as well run."""
        length = None if counted is None else integer_literal(text_of(counted.limit))
        return length is not None and length <= 32

    def repeated(self, node: Node) -> None:
        """A loop that every thread runs: what one round leaves, the next may read, so each round begins by waiting."""
        body = child(node, "body")
        accesses = self.accesses(body)
        changed = {a.base for a in accesses if a.writes and a.space is Space.GLOBAL}
        if changed & {a.base for a in accesses if a.deed is not Deed.STORE}:
            raise _NotUnderstood(
                f"line {node.start_point[0] + 1}: rounds of the outer loop depend on each other in memory"
            )
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self.everyone(condition, before=node)
        self.statements(statements_of(body))

    def share(self, loop: Loop, accumulations: dict[str, Accumulation]) -> None:
        """Every thread takes each `size`-th iteration, from its own place on; parts are combined after the loop."""
        at = loop_start(loop.node, self.kernel.source.text)
        self.order(self.accesses(loop.node), loop.node, at=at)
        size, lane = self.group.size, self.group.lane
        step = "" if loop.step is None else f" * ({text_of(loop.step)})"
        start = f"{lane}{step}" if text_of(loop.start) == "0" else f"{text_of(loop.start)} + {lane}{step}"
        self.edits.append(replace_node(loop.start, start))
        self.edits.append(replace_node(child(loop.node, "update"), f"{loop.variable} += {size}{step}"))
        indent = "\n" + " " * loop.node.start_point[1]
        before, after = "", ""
        for accumulation in accumulations.values():
            part = self.kernel.fresh(f"{accumulation.name}_part", self.parts)
            self.parts.add(part)
            declared = f"{self.part_type(accumulation)} {part} = {partial_start(accumulation)};"
            before += f"{declared}{indent}"
            after += f"{indent}{combined(accumulation, f'{self.helper(accumulation)}({part})')}"
            self.edits += [replace_node(use, part) for use in accumulation.uses]
        if loop.node.parent is not None and loop.node.parent.type != "compound_statement":
            before, after = "{ " + before, after + " }"
        if before and at != loop.node.start_byte:
            before = indent[1:] + before.rstrip(" ")  # a pragma follows, on a line of its own
        self.edits += [Edit(at, at, before), insert_after(loop.node, after)]

    def part_type(self, accumulation: Accumulation) -> str:
        local = self.kernel.local(accumulation.name)
        if local is None or local.pointer or local.array or local.type not in SHUFFLED_TYPES:
            known = "float, double or an integer of 32 or 64 bits"
            raise _NotUnderstood(f"the accumulator {accumulation.name!r} is not a local of type {known}")
        return local.type

    def helper(self, accumulation: Accumulation) -> str:
        if accumulation.combine not in self.helpers:
            self.helpers[accumulation.combine] = self.group.reduction(self.kernel, accumulation)
        return self.helpers[accumulation.combine][0]

    def accesses(self, node: Node) -> list[Access]:
        found = list(self.kernel.arrays.accesses(node))
        for access in found:
            if access.deed is Deed.ESCAPE or access.space is Space.SHARED:
                what = "shared memory" if access.space is Space.SHARED else f"the address of {access.base!r}"
                raise _NotUnderstood(f"line {node.start_point[0] + 1}: {what} is used in a way that is not understood")
        return found

    def order(self, accesses: Sequence[Access], before: Node, *, first: bool = False, at: int | None = None) -> None:
        """Wait before `before` if it touches what another thread of the group wrote, or writes what one still reads.

        first: only the first thread runs `before`; such statements are in order among themselves. at: byte to wait at,
        where that is not the statement's first.
        """
        reads = {a.base for a in accesses if a.deed is not Deed.STORE and a.space is Space.GLOBAL}
        writes = {a.base for a in accesses if a.writes and a.space is Space.GLOBAL}
        theirs = self.everyones if first else self.everyones.joined(self.firsts)
        if reads & theirs.written or writes & (theirs.written | theirs.read):
            if before.parent is not None and before.parent.type != "compound_statement":
                raise _NotUnderstood(
                    f"line {before.start_point[0] + 1}: a single statement would have to wait for others"
                )
            place = before.start_byte if at is None else at
            self.edits.append(Edit(place, place, f"{self.group.wait}\n{' ' * before.start_point[1]}"))
            self.everyones, self.firsts = _Touched(), _Touched()
        own = self.firsts if first else self.everyones
        own.written |= writes
        own.read |= reads
