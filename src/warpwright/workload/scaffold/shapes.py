"""The shape of an array from the indices a kernel uses and the bounds of the variables in them."""

from tree_sitter import Node

from warpwright.candidate.analysis.guard import skeleton_of
from warpwright.candidate.analysis.kernel import KernelModel
from warpwright.candidate.analysis.loops import counted_loop
from warpwright.candidate.analysis.polynomial import Polynomial, atom, constant
from warpwright.candidate.source_nodes import of_type, text_of


def guess_shape(kernel: KernelModel, name: str, dims: tuple[str, ...]) -> str | None:
    """Sizes separated by commas, outermost first; None if no index of the array is a plain row-major one."""
    bounds = _bounds(kernel)
    shapes = []
    for access in kernel.arrays.accesses(kernel.function.body):
        if access.base == name and access.index is not None:
            shape = _row_major(access.index, bounds, dims)
            if shape is not None:
                shapes.append(shape)
    best = max(shapes, key=len, default=None)
    return None if best is None else ", ".join(best)


def _bounds(kernel: KernelModel) -> dict[str, Node]:
    """Variable -> its exclusive upper bound, for guarded indices and counted loops."""
    skeleton = skeleton_of(kernel)
    bounds = {} if skeleton is None else dict(skeleton.limits)
    for node in of_type(kernel.function.body, "for_statement"):
        loop = counted_loop(node)
        if loop is not None:
            bounds.setdefault(loop.variable, loop.limit)
    return bounds


def _row_major(index: Polynomial, bounds: dict[str, Node], dims: tuple[str, ...]) -> tuple[str, ...] | None:
    """Sizes of the axes if each variable's stride is the product of the sizes inside it."""
    variables = {name for name in index.names if name in bounds}
    if index.value == 0:
        return ("1",)
    if index.names - variables - set(dims):
        return None
    strides = {name: index.stride(name) for name in variables}
    if any(stride is None for stride in strides.values()):
        return None
    sizes: list[str] = []
    inner = constant(1)
    while len(sizes) < len(variables):
        name = next((n for n, stride in strides.items() if stride == inner), None)
        size = None if name is None else text_of(bounds[name])
        if name is None or size is None or (size not in dims and not size.isdigit()):
            return None
        del strides[name]
        strides[name] = constant(0)
        sizes.insert(0, size)
        inner = inner * (constant(int(size)) if size.isdigit() else atom(size))
    return tuple(sizes)
