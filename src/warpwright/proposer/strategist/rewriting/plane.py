"""Kernels with one element of a plane per thread: two guarded indices and the work for an element."""

from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.analysis.access import Space
from warpwright.candidate.analysis.guard import Skeleton, skeleton_of
from warpwright.candidate.analysis.kernel import IndexVariable, KernelModel
from warpwright.candidate.analysis.loops import cooperation
from warpwright.candidate.source_nodes import field, identifiers, of_type, text_of
from warpwright.proposer.strategist.rewriting.move import Refusal
from warpwright.proposer.strategist.rewriting.subject import Subject

_COORDINATES = ("threadIdx", "blockIdx", "blockDim", "gridDim")


@dataclass(frozen=True, slots=True)
class Plane:
    """x, y: the two indices. kept: declarations that depend on neither. skeleton: guard and work."""

    x: IndexVariable
    y: IndexVariable
    kept: tuple[Node, ...]
    skeleton: Skeleton

    @property
    def guard(self) -> str:
        """C condition under which an element exists, in parentheses."""
        conditions = [text_of(field(g, "condition")) for g in self.skeleton.guards]
        return conditions[0] if self.skeleton.nested else f"({' && '.join(f'!{c}' for c in conditions)})"

    def limit(self, index: IndexVariable) -> Node:
        """The bound of one index."""
        return self.skeleton.limits[index.name]


def plane_of(subject: Subject) -> Plane | Refusal:
    """The kernel in this form, or why it is not."""
    kernel = subject.kernel
    x, y, skeleton = kernel.index("x"), kernel.index("y"), skeleton_of(kernel)
    if x is None or y is None or skeleton is None or set(skeleton.limits) != {x.name, y.name}:
        return Refusal("the kernel is not one element of a guarded plane per thread")
    own = {x.local.declaration.id, y.local.declaration.id}
    plane = Plane(x, y, tuple(s for s in skeleton.prefix if s.id not in own), skeleton)
    refused = subject.fixed_mapping or cooperation(kernel.function.body) or _refusal(subject, plane, own)
    return plane if refused is None else Refusal(refused)


def _refusal(subject: Subject, plane: Plane, own: set[int]) -> str | None:
    kernel = subject.kernel
    if kernel.index("z") is not None or any(size != "1" for size in subject.launch.block[2:]):
        return "the block has three dimensions"
    if Space.SHARED in kernel.arrays.spaces.values():
        return "the kernel uses shared memory already"
    if any(
        depends_on(kernel, s) & {plane.x.name, plane.y.name} for s in (*plane.kept, *plane.skeleton.limits.values())
    ):
        return "a declaration before the guard depends on the thread"
    if _other_coordinates(kernel, own):
        return "thread or block coordinates are used beside the two indices"
    return None


def depends_on(kernel: KernelModel, node: Node) -> set[str]:
    """Locals and parameters that an expression depends on, through other locals too (indices count as themselves)."""
    indices = {index.name for index in kernel.indices}
    found: set[str] = set()
    pending = [node]
    while pending:
        for name in identifiers(pending.pop()) - found:
            found.add(name)
            local = kernel.local(name)
            if local is not None and local.value is not None and name not in indices:
                pending.append(local.value)
    return found


def _other_coordinates(kernel: KernelModel, own: set[int]) -> bool:
    for node in of_type(kernel.function.body, "field_expression"):
        if text_of(field(node, "argument")) not in _COORDINATES or text_of(field(node, "field")) == "z":
            continue
        above = node.parent
        while above is not None and above.id not in own:
            above = above.parent
        if above is None:
            return True
    return False


def new_body(plane: Plane, work: str) -> str:
    """A function body: the declarations that stay, then the work (which ends with the closing brace)."""
    kept = "".join(f"    {text_of(node)}\n" for node in plane.kept)
    return "{\n" + kept + "    " + work
