"""Barriers of one block: which are complete, and what completing one gives."""

from collections.abc import Iterator

import numpy as np

from warpwright.emulator.interp.array_builder import WARP
from warpwright.emulator.interp.state import Block, Waiting, Warp
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Register

BARRIERS = 16


class DivergentBarrier(Exception):
    """Warps of a block wait at different barrier instructions of one number."""

    def __init__(self, warp: Warp) -> None:
        super().__init__()
        self.warp = warp


def release(block: Block) -> int:
    """Let the warps of complete barriers go on; how many did.

    A barrier without a count is complete when every unfinished warp waits at it; exited threads count as arrived.
    Raises: DivergentBarrier.
    """
    unfinished = sum(not warp.done for warp in block.warps)
    released = 0
    for number in range(BARRIERS):
        waiting = [(warp, warp.waiting) for warp in block.warps if _stopped_at(warp, number)]
        members = [(warp, entry) for warp, entry in waiting if entry is not None]
        if members and _complete(block, number, members, unfinished):
            _free(block, number, members)
            released += len(members)
    return released


def _stopped_at(warp: Warp, number: int) -> bool:
    return warp.waiting is not None and not warp.pending and warp.waiting.number == number


def _complete(block: Block, number: int, members: list[tuple[Warp, Waiting]], unfinished: int) -> bool:
    expected = members[-1][1].threads
    if expected:
        return len(members) * WARP + block.arrived.get(number, 0) >= expected
    if len(members) < unfinished:
        return False
    first = members[0][1].node
    for warp, entry in members:
        if entry.node != first:
            raise DivergentBarrier(warp)
    return True


def _free(block: Block, number: int, members: list[tuple[Warp, Waiting]]) -> None:
    votes = sum(int(np.count_nonzero(entry.votes & entry.lanes)) for _, entry in members)
    voters = sum(int(np.count_nonzero(entry.lanes)) for _, entry in members)
    block.arrived[number] = 0
    for warp, entry in members:
        for register, value in _results(entry, votes, voters):
            old = warp.registers[register]
            warp.registers[register] = np.where(entry.lanes, np.asarray(value, old.dtype), old)
        warp.pending[entry.resume] = warp.pending.get(entry.resume, np.zeros(WARP, np.bool_)) | entry.lanes
        warp.waiting = None


def _results(entry: Waiting, votes: int, voters: int) -> Iterator[tuple[str, int | bool]]:
    """What `bar.red` gives: the count of true predicates, whether all or any were true."""
    if not isinstance(entry.use.result, Register) or entry.use.reduction is None:
        return
    values = {"popc": votes, "and": votes == voters, "or": votes > 0}
    yield entry.use.result.name, values[entry.use.reduction]


ENDS_BLOCK = frozenset({Effect.BRANCH, Effect.BRANCH_TABLE, Effect.EXIT, Effect.RETURN, Effect.TRAP, Effect.BARRIER})
"""Effects after which a warp is scheduled anew."""
