"""A fixed block becomes tunables: several sizes in one dimension, several shapes in two."""

from dataclasses import replace

from warpwright.candidate.analysis.access import Space
from warpwright.candidate.analysis.kernel import AXES
from warpwright.candidate.analysis.polynomial import integer_literal
from warpwright.candidate.candidate import Launch
from warpwright.candidate.expressions import Call, Number, parse
from warpwright.candidate.source_nodes import of_type, text_of
from warpwright.proposer.strategist.moves.swap_axes import strided
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.sizes import bracketed, typical, written
from warpwright.proposer.strategist.rewriting.subject import Subject

FLAT = (256, 128, 512, 64, 1024, 32)
FEW = (64, 32, 128, 256, 512, 1024)
"""For launches of few threads: more blocks, so that every SM has one."""
WIDE, TALL = (32, 16, 64, 128), (8, 4, 16, 2, 1, 32)
_NAMES = ("BLOCK_X", "BLOCK_Y", "BLOCK_Z")


def rewrite(subject: Subject) -> Change | Refusal:
    """Rewrite block and grid of the plan in terms of new tunables; the source must take its block from `blockDim`."""
    refused = subject.fixed_mapping or _depends_on_size(subject)
    if refused is not None:
        return Refusal(refused)
    launch = subject.launch
    fixed = [i for i, size in enumerate(launch.block) if isinstance(parse(size).root, Number) and size != "1"]
    if not fixed or len(fixed) != sum(size != "1" for size in launch.block):
        return Refusal("the block is tunable already")
    values = _values(subject, [int(launch.block[i]) for i in fixed])
    names = [subject.fresh_tunable("BLOCK" if len(fixed) == 1 else _NAMES[i]) for i in fixed]
    block, grid = list(launch.block), list(launch.grid)
    for i, name in zip(fixed, names, strict=True):
        if i < len(grid):
            grid[i] = _regridded(grid[i], block[i], name)
        block[i] = name
    changed = replace(launch, block=tuple(block), grid=tuple(grid))
    return _change(subject, changed, dict(zip(names, values, strict=True)))


def _change(subject: Subject, launch: Launch, tunables: dict[str, tuple[int, ...]]) -> Change:
    shape = " x ".join(str(v[0]) for v in tunables.values())
    before = " x ".join(subject.launch.block)
    coalesced = len(tunables) > 1 and int(subject.launch.block[0]) < 32 and strided(subject, "x") == 0
    return Change(
        candidate=subject.made(subject.kernel.source.text, launch=launch, tunables=tunables),
        text=f"The block of {before} is one choice among many: make {', '.join(tunables)} tunable and begin with {shape}.",
        promise=1.3 if coalesced else 1.05,
        expects={"global_load_sectors": 0.9} if coalesced else {},
    )


def _values(subject: Subject, sizes: list[int]) -> list[tuple[int, ...]]:
    """Values to try per axis, the most promising first; the size at hand is always among them."""
    if len(sizes) > 1:
        preferred = [WIDE, TALL, (1, 2, 4)][: len(sizes)]
        return [tuple(dict.fromkeys((*values, size))) for values, size in zip(preferred, sizes, strict=True)]
    threads = typical(subject, f"{bracketed(subject.launch.grid[0])} * {sizes[0]}") or 0.0
    scarce = threads < 256 * 4 * subject.gpu.sm_count
    values = tuple(dict.fromkeys((*(FEW if scarce else FLAT), sizes[0])))
    return [(values[1], values[0], *values[2:]) if values[0] == sizes[0] else values]


def _regridded(grid: str, block: str, name: str) -> str:
    """A grid for another block: `ceil_div(E, block)` keeps its E, anything else the threads it had."""
    root = parse(grid).root
    if isinstance(root, Call) and root.function == "ceil_div" and root.arguments[1] == parse(block).root:
        return f"ceil_div({written(root.arguments[0])}, {name})"
    return f"ceil_div({bracketed(grid)} * {block}, {name})"


def _depends_on_size(subject: Subject) -> str | None:
    """Why the block cannot be changed: the source holds its size as a number, or does not index by whole grids."""
    kernel = subject.kernel
    body = kernel.function.body
    sizes = {int(s) for s in subject.launch.block if s.isdigit()} - {0, 1}
    if Space.SHARED in kernel.arrays.spaces.values():
        return "shared memory may be laid out for this block"
    if any(integer_literal(text_of(n)) in sizes for n in of_type(body, "number_literal")):
        return "the source holds a number equal to the block size"
    used = {"".join(text_of(n).split()) for n in of_type(body, "field_expression")}
    bare = [axis for axis in AXES if f"threadIdx.{axis}" in used and kernel.index(axis) is None]
    return f"threadIdx.{bare[0]} is not part of a grid-wide index" if bare else None


MOVE = Move("block_tunable", "a fixed block becomes tunable sizes and shapes", rewrite, ("FG-21", "FG-05"))
