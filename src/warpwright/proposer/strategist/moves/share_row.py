"""Thread-per-row kernels: the lanes of a warp, or all threads of a block, share each row."""

from collections.abc import Mapping
from dataclasses import replace

from warpwright.candidate.analysis.guard import skeleton_of
from warpwright.candidate.analysis.kernel import IndexVariable
from warpwright.candidate.analysis.loops import cooperation
from warpwright.candidate.expressions import Name, Number, parse
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_edit import apply_edits
from warpwright.candidate.source_nodes import field, of_type, text_of
from warpwright.proposer.strategist.rewriting.group import Group
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.qualifiers import restrict_edits
from warpwright.proposer.strategist.rewriting.rows import share_rows
from warpwright.proposer.strategist.rewriting.sizes import bracketed, covered, typical, upper_bound
from warpwright.proposer.strategist.rewriting.subject import Subject

BLOCKS = (256, 128, 512, 1024, 64, 32)
LANES = (32, 16, 8, 4)
_MAX_GRID_X = 2**31 - 1
_EXPECTS = {"global_load_sectors": 0.3, "global_load_bytes_per_sector": 2.0}


def warp_per_row(subject: Subject) -> Change | Refusal:
    """Lanes of a warp (or a power-of-two part of it) share a row."""
    lanes, lane = subject.fresh_tunable("LANES"), subject.kernel.fresh("lane")
    row = f"blockIdx.x * (blockDim.x / {lanes}) + threadIdx.x / {lanes}"
    group = Group(lane, lanes, row, f"threadIdx.x % {lanes}", "__syncwarp();", "warp_reduce.cuh", "lanes")
    found = _shared(subject, group)
    if isinstance(found, Refusal):
        return found
    source, rows = found
    block, sizes = block_choice(subject)
    launch = replace(
        subject.launch, grid=_grid(subject, f"ceil_div({bracketed(rows)} * {lanes}, {block})"), block=(block,)
    )
    parallel = (typical(subject, rows) or 0.0) * 32 / (subject.gpu.sm_count * 1024)
    return Change(
        candidate=subject.made(source, launch=launch, tunables={**sizes, lanes: LANES}),
        text="Each thread walks along a row of its own, so a warp reads 32 rows at once: let lanes of a warp share one row.",
        promise=8.0 if parallel > 1 else 5.0,
        expects=_EXPECTS,
    )


def block_per_row(subject: Subject) -> Change | Refusal:
    """All threads of a block share a row."""
    group = Group(
        subject.kernel.fresh("lane"), "blockDim.x", "blockIdx.x", "threadIdx.x", "__syncthreads();", "block_reduce.cuh", "block"
    )  # fmt: skip
    found = _shared(subject, group)
    if isinstance(found, Refusal):
        return found
    source, rows = found
    highest = upper_bound(subject, rows)
    if highest is not None and highest > _MAX_GRID_X:
        return Refusal(f"up to {highest} rows are more than the {_MAX_GRID_X} blocks of a grid")
    block, sizes = block_choice(subject)
    launch = replace(subject.launch, grid=_grid(subject, rows), block=(block,))
    scarce = (typical(subject, rows) or 0.0) * 32 <= subject.gpu.sm_count * 1024
    return Change(
        candidate=subject.made(source, launch=launch, tunables=sizes),
        text="Each thread walks along a row of its own, with strided reads and few threads: let a whole block share one row.",
        promise=7.0 if scarce else 6.0,
        expects=_EXPECTS,
    )


def _shared(subject: Subject, group: Group) -> tuple[str, str] | Refusal:
    """The rewritten source and the number of rows as a plan expression."""
    kernel = subject.kernel
    index = kernel.index("x")
    refused = subject.fixed_mapping or cooperation(kernel.function.body)
    if refused is not None:
        return Refusal(refused)
    if index is None:
        return Refusal("no thread index along x")
    if any(size != "1" for size in subject.launch.block[1:]):
        return Refusal("the block has more than one dimension")
    if not _coordinates_only_in(subject, index):
        return Refusal("thread or block coordinates are used beside the row index")
    source = share_rows(kernel, index, group)
    if isinstance(source, Refusal):
        return source
    skeleton = skeleton_of(kernel)
    limit = None if skeleton is None else skeleton.limits.get(index.name)
    rows = covered(subject, "x", limit)
    changed = subject.with_source(source)
    return apply_edits(parse_source(source), restrict_edits(changed)).text, rows


def _coordinates_only_in(subject: Subject, index: IndexVariable) -> bool:
    value = index.local.value
    for node in of_type(subject.kernel.function.body, "field_expression"):
        along_x = text_of(field(node, "field")) == "x" and text_of(field(node, "argument")) in _COORDINATES
        inside = value is not None and value.start_byte <= node.start_byte and node.end_byte <= value.end_byte
        if along_x and not inside:
            return False
    return True


_COORDINATES = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def block_choice(subject: Subject) -> tuple[str, Mapping[str, tuple[int, ...]]]:
    """Block expression and its tunable: whole warps only. A tunable block keeps its name."""
    root = parse(subject.launch.block[0]).root
    if isinstance(root, Name) and root.name in subject.candidate.tunables:
        return root.name, {root.name: BLOCKS}
    name = subject.fresh_tunable("BLOCK")
    size = root.value if isinstance(root, Number) else BLOCKS[0]
    values = BLOCKS if size % 32 else tuple(dict.fromkeys((BLOCKS[0], size, *BLOCKS)))
    return name, {name: values}


def _grid(subject: Subject, along_x: str) -> tuple[str, ...]:
    return (along_x, *subject.launch.grid[1:])


_CARDS = ("FG-100", "FG-09", "FG-04")
WARP = Move("warp_per_row", "lanes of a warp share the row of a thread-per-row kernel", warp_per_row, _CARDS)
BLOCK = Move("block_per_row", "a block shares the row of a thread-per-row kernel", block_per_row, _CARDS)
