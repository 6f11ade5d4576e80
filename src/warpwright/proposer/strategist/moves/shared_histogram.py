"""Atomics on a small array of bins: each block counts in shared memory, then adds its counts once."""

from dataclasses import replace
from math import prod

from warpwright.candidate.analysis.access import Access, Deed
from warpwright.candidate.expressions import ExpressionError, evaluate
from warpwright.candidate.source_edit import apply_edits, insert_after, insert_before, replace_node
from warpwright.candidate.source_nodes import ancestors, field, text_of
from warpwright.proposer.strategist.moves.share_row import block_choice
from warpwright.proposer.strategist.rewriting.atomics import RESIDENT, Atomic, AtomicLoop, atomic_loop
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.sizes import BYTES_OF_TYPE
from warpwright.proposer.strategist.rewriting.subject import Subject
from warpwright.proposer.strategist.snippets import snippet
from warpwright.workload.model import ArrayParameter

COPIES = (4, 2, 8, 1)
"""Copies of each bin side by side: lanes that hit the same bin then hit different banks."""


def rewrite(subject: Subject) -> Change | Refusal:
    """Privatise the bins in shared memory, with a grid as large as the device."""
    found = atomic_loop(subject)
    if isinstance(found, Refusal):
        return found
    bases = sorted({a.base for a in found.atomics if not a.fixed})
    if len(bases) != 1 or any(a.fixed for a in found.atomics):
        return Refusal("the atomics are not all on one array of bins")
    refused = _refusal(found, bases[0])
    bins = _bins(found.subject, bases[0])
    if refused is not None or bins is None:
        return Refusal(refused or f"the number of bins in {bases[0]!r} is not a constant")
    room = subject.gpu.limits.shared_per_block_bytes // (bins * BYTES_OF_TYPE[_type(found.subject, bases[0])])
    copies = tuple(c for c in COPIES if c <= room)
    return (
        _change(subject, found, bases[0], bins, copies)
        if copies
        else Refusal(f"{bins} bins do not fit in shared memory")
    )


def _refusal(found: AtomicLoop, base: str) -> str | None:
    kind = _type(found.subject, base)
    if kind not in ("int", "unsigned", "unsigned int", "unsigned long long", "float", "double", "int32_t", "uint32_t"):
        return f"bins of type {kind or 'unknown'} have no atomic in shared memory"
    if any(_place(a, base) is None for a in found.atomics):
        return f"an atomic on {base!r} is not of the form atomicAdd(&{base}[bin], value)"
    if any(a.base == base and a.deed is not Deed.ATOMIC for a in _accesses(found)):
        return f"{base!r} is also read or written without an atomic"
    return None


def _change(subject: Subject, found: AtomicLoop, base: str, bins: int, copies: tuple[int, ...]) -> Change:
    kernel = found.subject.kernel
    name, kind = kernel.fresh(f"block_{base}"), _type(found.subject, base)
    copy, resident = found.subject.fresh_tunable("COPIES"), found.subject.fresh_tunable("BLOCKS_PER_SM")
    words = {"type": kind, "name": name, "count": str(bins), "copies": copy, "base": base}
    edits = [
        insert_before(found.loop.node, snippet("bins_begin.cu", **words).strip() + "\n    "),
        insert_after(found.loop.node, snippet("bins_end.cu", **words).rstrip()),
    ]
    for atomic in found.atomics:
        bin_text = _place(atomic, base) or "0"
        edits.append(replace_node(atomic.place, f"&{name}[({bin_text}) * {copy} + threadIdx.x % {copy}]"))
    grid = f"min({subject.launch.grid[0]}, device.sm_count * {resident})"
    block, sizes = block_choice(found.subject)
    launch = replace(subject.launch, grid=(grid, *subject.launch.grid[1:]), block=(block,))
    source = apply_edits(kernel.source, edits).text
    return Change(
        candidate=found.subject.made(source, launch=launch, tunables={**sizes, copy: copies, resident: RESIDENT}),
        text=f"All blocks fight for the {bins} bins of {base} in L2: count in shared memory and add each block's counts once.",
        promise=20.0,
        expects={"l2_atomic_sectors": 0.1},
    )


def _accesses(found: AtomicLoop) -> list[Access]:
    kernel = found.subject.kernel
    inside = {a.place.id for a in found.atomics}
    every = kernel.arrays.accesses(kernel.function.body)
    return [a for a in every if not any(n.id in inside for n in ancestors(a.node, kernel.function.body))]


def _bins(subject: Subject, base: str) -> int | None:
    """Number of bins, where the workload's shape is a plain number."""
    argument = subject.arguments.get(base)
    if not isinstance(argument, ArrayParameter):
        return None
    try:
        return prod(evaluate(size, subject.candidate.values()) for size in argument.shape)
    except ExpressionError:
        return None


def _type(subject: Subject, base: str) -> str:
    parameter = subject.kernel.function.parameter(base)
    return "" if parameter is None else parameter.element


def _place(atomic: Atomic, base: str) -> str | None:
    """Text of the bin's index in `&base[index]`."""
    node = atomic.place
    if atomic.function != "atomicAdd" or node.type != "pointer_expression":
        return None
    element = field(node, "argument")
    if element.type != "subscript_expression" or text_of(field(element, "argument")) != base:
        return None
    return text_of(field(element, "indices"))[1:-1]


MOVE = Move("shared_histogram", "bins are counted in shared memory and merged once per block", rewrite, ("FG-38",))
