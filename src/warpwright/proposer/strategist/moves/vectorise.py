"""Wide accesses: neighbouring elements are loaded and stored in packs of up to 16 bytes."""

from dataclasses import replace

from warpwright.candidate.analysis.distribution import Among, Distribution, distribution
from warpwright.candidate.analysis.loops import Loop, counted_loop
from warpwright.candidate.analysis.sharing import shareable
from warpwright.candidate.candidate import Launch
from warpwright.candidate.source_edit import Edit, apply_edits, insert_before
from warpwright.candidate.source_nodes import LOOPS, of_type
from warpwright.proposer.strategist.rewriting.grid_loop import grid_stride
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.qualifiers import restrict_edits
from warpwright.proposer.strategist.rewriting.sizes import BYTES_OF_TYPE
from warpwright.proposer.strategist.rewriting.subject import Subject
from warpwright.proposer.strategist.rewriting.vector_loop import Packed, PackNames, packable, vector_loop
from warpwright.proposer.strategist.snippets import snippet

_WIDEST_BYTES = 16
_Found = tuple[Loop, Distribution, list[Packed]]


def rewrite(subject: Subject) -> Change | Refusal:
    """Pack every loop over contiguous elements; a kernel with one element per thread becomes such a loop first."""
    found = _loops(subject)
    if not found:
        looped = grid_stride(subject)
        if isinstance(looped, Refusal):
            return Refusal(f"no loop over contiguous elements can be packed; {looped.reason}")
        subject = looped
        found = _loops(subject)
    if not found:
        return Refusal("no access moves on by one element from iteration to iteration in a way that can be packed")
    kernel = subject.kernel
    width, pack = subject.fresh_tunable("VEC"), kernel.fresh("Pack")
    edits: list[Edit] = [insert_before(kernel.function.outer, snippet("pack.cuh", name=pack)), *restrict_edits(subject)]
    taken: set[str] = set()
    for loop, dealt, packs in found:
        names = PackNames(pack, width, *(kernel.fresh(n, taken) for n in ("chunk", "chunks", "element")))
        taken.add(names.chunks)
        edits.append(vector_loop(loop, dealt, packs, names, kernel.source.text))
    source = apply_edits(kernel.source, edits)
    widest = max(BYTES_OF_TYPE[p.element] for _, _, packs in found for p in packs)
    best = max(2, _WIDEST_BYTES // widest)
    values = tuple(dict.fromkeys(v for v in (best, best // 2, best * 2) if v >= 2))
    arrays = ", ".join(dict.fromkeys(p.base for _, _, packs in found for p in packs))
    return Change(
        candidate=subject.made(source.text, launch=_launch(subject, found, width), tunables={width: values}),
        text=f"{arrays}: one element per access makes many requests; move {width} at a time, in accesses of up to 16 bytes.",
        promise=1.6 if widest < 4 else 1.25,
        expects={"global_load_requests": 1.5 / best},
    )


def _loops(subject: Subject) -> list[_Found]:
    """Innermost loops that can be packed, with the way they are dealt out and what they access."""
    found: list[_Found] = []
    for node in of_type(subject.kernel.function.body, "for_statement"):
        loop = counted_loop(node)
        if loop is None or loop.type == "auto" or any(True for _ in of_type(loop.body, *LOOPS)):
            continue
        dealt = distribution(subject.kernel, loop, subject.launch.block[0])
        if dealt is None or isinstance(shareable(subject.kernel, loop), str):
            continue
        packs = packable(subject, loop, dealt.among)
        if packs:
            found.append((loop, dealt, packs))
    return found


def _launch(subject: Subject, found: list[_Found], width: str) -> Launch:
    """Fewer blocks where the grid counts elements; a grid sized by the device stays."""
    launch = subject.launch
    over_grid = any(dealt.among is Among.GRID for _, dealt, _ in found)
    if not over_grid or "device." in launch.grid[0]:
        return launch
    return replace(launch, grid=(f"ceil_div({launch.grid[0]}, {width})", *launch.grid[1:]))


MOVE = Move("vectorise", "loads and stores of up to 16 bytes for contiguous elements", rewrite, ("FG-12",))
