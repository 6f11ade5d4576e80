"""Thread coarsening: fewer threads, each with several elements a grid apart."""

from dataclasses import replace

from warpwright.candidate.source_nodes import LOOPS, of_type
from warpwright.proposer.strategist.rewriting.grid_loop import grid_stride
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.subject import Subject

ITEMS = (4, 2, 8, 16, 1)


def rewrite(subject: Subject) -> Change | Refusal:
    """Loop over elements by the grid's size and launch a tunable fraction of the blocks."""
    if any(True for _ in of_type(subject.kernel.function.body, *LOOPS)):
        return Refusal("each thread has a loop's worth of work already")
    looped = grid_stride(subject)
    if isinstance(looped, Refusal):
        return looped
    name = subject.fresh_tunable("ITEMS")
    grid = (f"ceil_div({subject.launch.grid[0]}, {name})", *subject.launch.grid[1:])
    launch = replace(subject.launch, grid=grid)
    return Change(
        candidate=subject.made(looped.candidate.source, launch=launch, tunables={name: ITEMS}),
        text=f"One element per thread pays index and launch work for each: let a thread take {name} elements, a grid apart.",
        promise=1.1,
        expects={"instructions": 0.95},
    )


MOVE = Move("grid_stride", "thread coarsening with a grid-stride loop", rewrite, ("FG-101", "FG-06"))
