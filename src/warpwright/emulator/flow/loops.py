"""Loops in which a thread may wait for another one: what a scheduler must not run for ever."""

from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.ops.table import Effect

SPIN_LIMIT = 4096
"""Turns of a waiting loop before other lanes and warps get their turn."""

_ORDERED = frozenset({"volatile", "relaxed", "acquire", "mmio"})


def waiting_edges(graph: KernelGraph) -> frozenset[tuple[int, int]]:
    """Back edges (from, to) whose range of blocks has an instruction that can see another thread's write."""
    watching = {number for number, block in enumerate(graph.blocks) if any(_may_watch(node) for node in block.nodes)}
    return frozenset(
        (number, target)
        for number, block in enumerate(graph.blocks)
        for target in block.successors
        if target <= number and any(target <= other <= number for other in watching)
    )


def _may_watch(node: Node) -> bool:
    effect = node.bound.operation.effect
    if effect is Effect.ATOMIC:
        return True
    return effect is Effect.LOAD and not _ORDERED.isdisjoint(node.bound.form.modifiers)
