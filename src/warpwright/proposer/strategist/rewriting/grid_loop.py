"""A kernel with one element per thread becomes a loop over elements, in steps of the whole grid."""

from tree_sitter import Node

from warpwright.candidate.analysis.access import Space
from warpwright.candidate.analysis.guard import Skeleton, skeleton_of
from warpwright.candidate.analysis.kernel import IndexVariable, declared_names
from warpwright.candidate.analysis.loops import cooperation
from warpwright.candidate.source_edit import Edit, apply_edits, replace_node
from warpwright.candidate.source_nodes import field, identifiers, of_type, text_of
from warpwright.proposer.strategist.rewriting.move import Refusal
from warpwright.proposer.strategist.rewriting.sizes import INT_MAX, plan_expression, upper_bound
from warpwright.proposer.strategist.rewriting.subject import Subject

_MOST_THREADS = 2**27
"""More than any sensible grid has: room that a 32-bit index needs above the bound so that its last step cannot overflow."""


def grid_stride(subject: Subject) -> Subject | Refusal:
    """The subject with its guarded body in `for (i = ...; i < n; i += gridDim.x * blockDim.x)`; any grid then covers it."""
    kernel = subject.kernel
    index, skeleton = kernel.index("x"), skeleton_of(kernel)
    refused = subject.fixed_mapping or cooperation(kernel.function.body)
    if refused is not None:
        return Refusal(refused)
    if index is None or skeleton is None or set(skeleton.limits) != {index.name}:
        return Refusal("the kernel is not one guarded element per thread along x")
    refused = _refusal(subject, index, skeleton)
    if refused is not None:
        return Refusal(refused)
    limit = skeleton.limits[index.name]
    value = "" if index.local.value is None else text_of(index.local.value)
    step = "gridDim.x * blockDim.x"
    kind = _index_type(subject, index, limit)
    header = f"for ({kind} {index.name} = {value}; {index.name} < {text_of(limit)}; {index.name} += {step}) {{"
    guard = skeleton.guards[0]
    close = kernel.function.body.end_byte - 1
    edits = [
        replace_node(index.local.declaration, header),
        replace_node(guard, text_of(field(guard, "consequence")) if skeleton.nested else ""),
        Edit(close, close, "    }\n"),
    ]
    return subject.with_source(apply_edits(kernel.source, edits).text)


def _refusal(subject: Subject, index: IndexVariable, skeleton: Skeleton) -> str | None:
    """Why the body cannot be repeated by one thread."""
    body = subject.kernel.function.body
    if len(skeleton.guards) != 1 or any(size != "1" for size in subject.launch.block[1:]):
        return "the kernel has several guards or a block of several dimensions"
    if len(index.local.declaration.children_by_field_name("declarator")) != 1:
        return f"{index.name} is declared together with another variable"
    if Space.SHARED in subject.kernel.arrays.spaces.values():
        return "the kernel uses shared memory"
    returns = [n for n in of_type(body, "return_statement") if not _within(n, skeleton.guards[0]) or skeleton.nested]
    if returns:
        return "the kernel has a second way out"
    later = [s for s in skeleton.prefix if s.start_byte > index.local.declaration.start_byte]
    if identifiers(skeleton.limits[index.name]) & {name for s in later for name in declared_names(s)}:
        return "the bound is computed after the index"
    return None


def _within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def _index_type(subject: Subject, index: IndexVariable, limit: Node) -> str:
    """The index's own type if it cannot overflow when a grid is added, else a 64-bit one."""
    bound = plan_expression(subject, limit)
    highest = None if bound is None else upper_bound(subject, bound)
    narrow = index.type in ("int", "unsigned", "unsigned int", "int32_t", "uint32_t")
    return index.type if not narrow or (highest is not None and highest < INT_MAX - _MOST_THREADS) else "long long"
