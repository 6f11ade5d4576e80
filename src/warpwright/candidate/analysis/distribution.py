"""How a loop's iterations are dealt out to threads: all to one, to a group, to a block, to the grid."""

from dataclasses import dataclass
from enum import StrEnum

from warpwright.candidate.analysis.kernel import KernelModel
from warpwright.candidate.analysis.loops import Loop
from warpwright.candidate.analysis.polynomial import Polynomial, atom, constant
from warpwright.candidate.source_nodes import text_of


class Among(StrEnum):
    """Who shares the iterations."""

    ALONE = "alone"
    GROUP = "group"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Distribution:
    """Thread number `rank` of `size` takes iterations first + rank, first + rank + size ... rank, size: C expressions."""

    among: Among
    first: int
    rank: str
    size: str


def distribution(kernel: KernelModel, loop: Loop, block: str) -> Distribution | None:
    """The way a loop is dealt out; None if it is none of the known ways or does not begin at a known number.

    block: the plan's block size along x, which the source may name instead of `blockDim.x`.
    """
    start = kernel.polynomial(loop.start)
    step = constant(1) if loop.step is None else kernel.polynomial(loop.step)
    if step.value == 1 and start.value is not None and start.value >= 0:
        return Distribution(Among.ALONE, start.value, "0", "1")
    for among, rank, size in _ways(step, block):
        first = (start - rank).value
        if step == size and first is not None and first >= 0 and loop.step is not None:
            text = text_of(loop.start) if first == 0 else f"({text_of(loop.start)} - {first})"
            return Distribution(among, first, text, text_of(loop.step))
    return None


def _ways(step: Polynomial, block: str) -> list[tuple[Among, Polynomial, Polynomial]]:
    """Rank and step of each known way."""
    thread, width = atom("threadIdx.x"), atom("blockDim.x")
    ways = []
    for size in (width, atom(block)):
        whole = atom("blockIdx.x") * size + thread
        ways += [(Among.GROUP, thread, size), (Among.GRID, whole, atom("gridDim.x") * size)]
    if step.value is not None:
        for lane in (f"threadIdx.x%{step.value}", f"threadIdx.x&{step.value - 1}"):
            ways.append((Among.GROUP, atom(lane, {"threadIdx.x"}), step))
    for monomial, _ in step.terms:
        if len(monomial) == 1 and len(step.terms) == 1:
            lanes = monomial[0]
            ways.append((Among.GROUP, atom(f"threadIdx.x%{lanes.text}", {"threadIdx.x", *lanes.names}), step))
    return ways
