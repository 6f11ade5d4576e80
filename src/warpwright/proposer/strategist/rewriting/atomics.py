"""Atomics of a grid-stride loop: which scalar or which bins they hit, and the loop that holds them."""

from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.analysis.access import Deed, Space
from warpwright.candidate.analysis.distribution import Among, distribution
from warpwright.candidate.analysis.kernel import KernelModel, declared_names
from warpwright.candidate.analysis.loops import Loop, counted_loop
from warpwright.candidate.source_nodes import LOOPS, arguments_of, called_name, identifiers, of_type
from warpwright.proposer.strategist.rewriting.grid_loop import grid_stride
from warpwright.proposer.strategist.rewriting.move import Refusal
from warpwright.proposer.strategist.rewriting.subject import Subject

RESIDENT = (8, 4, 16, 2, 32)
"""Blocks per SM to try for a grid that no longer follows the number of elements."""


@dataclass(frozen=True, slots=True)
class Atomic:
    """`function(place, value);` on an array. fixed: the place is the same for every thread and iteration."""

    function: str
    base: str
    place: Node
    value: Node
    call: Node
    fixed: bool


@dataclass(frozen=True, slots=True)
class AtomicLoop:
    """A loop shared out over the grid, with its atomics on global memory. subject: the kernel in that form."""

    subject: Subject
    loop: Loop
    atomics: tuple[Atomic, ...]


def atomic_loop(subject: Subject) -> AtomicLoop | Refusal:
    """The one grid-stride loop of a kernel and its atomics; a kernel of one element per thread is given such a loop."""
    if not any(a.deed is Deed.ATOMIC for a in subject.kernel.arrays.accesses(subject.kernel.function.body)):
        return Refusal("the kernel has no atomics")
    loop = _grid_loop(subject)
    if loop is None:
        looped = grid_stride(subject)
        if isinstance(looped, Refusal):
            return looped
        subject = looped
        loop = _grid_loop(subject)
    if loop is None:
        return Refusal("no loop over elements in steps of the whole grid")
    if any(True for _ in of_type(subject.kernel.function.body, "return_statement")):
        return Refusal("some threads leave early and could not take part in a block's work")
    return AtomicLoop(subject, loop, tuple(_atomics(subject.kernel, loop)))


def _grid_loop(subject: Subject) -> Loop | None:
    top = [n for n in of_type(subject.kernel.function.body, *LOOPS) if _outermost(n, subject.kernel)]
    if len(top) != 1:
        return None
    loop = counted_loop(top[0])
    dealt = None if loop is None else distribution(subject.kernel, loop, subject.launch.block[0])
    return loop if dealt is not None and dealt.among is Among.GRID else None


def _outermost(loop: Node, kernel: KernelModel) -> bool:
    return loop.parent is not None and loop.parent.id == kernel.function.body.id


def _atomics(kernel: KernelModel, loop: Loop) -> list[Atomic]:
    changing = declared_names(loop.body) | {loop.variable}
    found = []
    for access in kernel.arrays.accesses(loop.body):
        arguments = arguments_of(access.node) if access.deed is Deed.ATOMIC else []
        alone = access.node.parent is not None and access.node.parent.type == "expression_statement"
        if access.space is Space.GLOBAL and len(arguments) == 2 and alone:
            varying = changing | {"threadIdx.x", "blockIdx.x"}
            still = access.index is not None and not access.index.names & varying
            fixed = still and not identifiers(arguments[0]) & changing
            found.append(Atomic(called_name(access.node), access.base, arguments[0], arguments[1], access.node, fixed))
    return found
