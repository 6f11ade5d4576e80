"""x and y change places, so that neighbouring lanes touch neighbouring elements."""

from dataclasses import replace

from warpwright.candidate.analysis.access import Space
from warpwright.candidate.analysis.loops import cooperation
from warpwright.candidate.source_edit import apply_edits, replace_node
from warpwright.candidate.source_nodes import field, of_type, text_of
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.sizes import covered, upper_bound
from warpwright.proposer.strategist.rewriting.subject import Subject

_COORDINATES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_MAX_GRID_Y = 65_535


def rewrite(subject: Subject) -> Change | Refusal:
    """Swap the axes in source and plan if fewer accesses are then strided across the lanes of a warp."""
    refused = subject.fixed_mapping or _refusal(subject)
    if refused is not None:
        return Refusal(refused)
    now, then = strided(subject, "x"), strided(subject, "y")
    if then >= now:
        return Refusal(f"{now} access(es) are strided along x and {then} would be along y")
    edits = []
    for node in of_type(subject.kernel.function.body, "field_expression"):
        argument, part = field(node, "argument"), field(node, "field")
        if text_of(argument) in _COORDINATES and text_of(part) in "xy":
            edits.append(replace_node(part, "y" if text_of(part) == "x" else "x"))
    launch = subject.launch
    block, grid = _swapped(launch.block), _swapped(launch.grid)
    source = apply_edits(subject.kernel.source, edits)
    return Change(
        candidate=subject.made(source.text, launch=replace(launch, block=block, grid=grid)),
        text=f"{now} access(es) jump from lane to lane because the contiguous index runs along y: let x and y change places.",
        promise=4.0,
        expects={"global_load_sectors": 0.5, "global_load_bytes_per_sector": 2.0},
    )


def strided(subject: Subject, axis: str) -> int:
    """Accesses to global memory whose index is not contiguous (stride 0, 1) in an axis' thread coordinate."""
    count = 0
    for access in subject.kernel.arrays.accesses(subject.kernel.function.body):
        if access.space is Space.GLOBAL and access.index is not None:
            stride = access.index.stride(f"threadIdx.{axis}")
            count += stride is None or stride.value not in (0, 1)
    return count


def _refusal(subject: Subject) -> str | None:
    kernel = subject.kernel
    if kernel.index("x") is None or kernel.index("y") is None:
        return "the kernel has no grid-wide index along both x and y"
    if cooperation(kernel.function.body) or Space.SHARED in kernel.arrays.spaces.values():
        return "threads of a block work together"
    highest = upper_bound(subject, _blocks(subject))
    if highest is None or highest > _MAX_GRID_Y:
        return f"the grid along x may need more than the {_MAX_GRID_Y} blocks that y allows"
    return None


def _blocks(subject: Subject) -> str:
    """Blocks along x, which become blocks along y."""
    return subject.launch.grid[0] if subject.launch.grid else f"ceil_div({covered(subject, 'x', None)}, 1)"


def _swapped(sizes: tuple[str, ...]) -> tuple[str, ...]:
    padded = (*sizes, "1", "1")[: max(2, len(sizes))]
    return (padded[1], padded[0], *padded[2:])


MOVE = Move("swap_axes", "x and y change places for coalesced accesses", rewrite, ("FG-09",))
