"""Addresses of a request checked and turned into places in host memory."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from warpwright.emulator.execution import Run
from warpwright.emulator.interp.exact import Lanes
from warpwright.emulator.interp.state import Block, Mask, Warp
from warpwright.emulator.memory.arena import BASE_ADDRESS
from warpwright.emulator.memory.fault import FaultKind
from warpwright.emulator.ops.windows import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES
from warpwright.emulator.ptx.ir import Space

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, slots=True)
class Refused:
    """The first lane whose access is not allowed."""

    kind: FaultKind
    lane: int
    address: int
    space: Space


@dataclass(frozen=True, slots=True)
class Part:
    """Lanes of a request that fall into one space. places: byte offsets into `memory`; addresses: in that space."""

    space: Space
    lanes: Lanes
    addresses: Lanes
    memory: Bytes
    places: Lanes


class Spaces:
    """The memory that one warp sees."""

    def __init__(self, run: Run, block: Block) -> None:
        self._arena = run.arena
        self._block = block

    def parts(self, space: Space, addresses: Lanes, mask: Mask) -> list[tuple[Space, Lanes, Lanes]]:
        """(space, lanes, addresses in it) of a request; generic addresses may fall into several."""
        lanes = np.flatnonzero(mask)
        wanted = addresses[lanes].astype(np.int64)
        if space is not Space.GENERIC:
            return [(space, lanes, wanted)]
        found = []
        inside_any = np.zeros(len(lanes), np.bool_)
        for window, name in ((SHARED_WINDOW, Space.SHARED), (LOCAL_WINDOW, Space.LOCAL)):
            inside = (wanted >= window) & (wanted < window + WINDOW_BYTES)
            inside_any |= inside
            if inside.any():
                found.append((name, lanes[inside], wanted[inside] - window))
        if not inside_any.all():
            found.insert(0, (Space.GLOBAL, lanes[~inside_any], wanted[~inside_any]))
        return found

    def place(self, warp: Warp, piece: tuple[Space, Lanes, Lanes], size: int, *, writes: bool) -> Part | Refused:
        """Check one part of a request of `size` bytes per lane. Bounds come before alignment."""
        space, lanes, addresses = piece
        if space in (Space.GLOBAL, Space.CONST):
            refused = self._outside_arena(lanes, addresses, size, writes=writes)
            memory, places = self._arena.bytes, addresses - BASE_ADDRESS
        else:
            limit = len(self._block.shared) if space is Space.SHARED else self._local_bytes()
            outside = (addresses < 0) | (addresses + size > limit)
            refused = _refuse(_bounds(writes), outside, (lanes, addresses, space)) if outside.any() else None
            memory, places = self._block.shared, addresses
            if space is Space.LOCAL:
                memory, places = self._block.local, addresses + (warp.index * 32 + lanes) * self._local_bytes()
        if refused is not None:
            return refused
        crooked = addresses % size != 0
        if crooked.any():
            return _refuse(FaultKind.MISALIGNED, crooked, (lanes, addresses, space))
        return Part(space, lanes, addresses, memory, places)

    def _local_bytes(self) -> int:
        return len(self._block.local) // (32 * len(self._block.warps))

    def _outside_arena(self, lanes: Lanes, addresses: Lanes, size: int, *, writes: bool) -> Refused | None:
        allocations = self._arena.allocations
        starts = np.array([a.address for a in allocations], np.int64)
        ends = np.array([a.end for a in allocations], np.int64)
        writable = np.array([a.writable or not writes for a in allocations], np.bool_)
        index = np.searchsorted(starts, addresses, side="right") - 1
        inside = (index >= 0) & (addresses + size <= ends[index]) & writable[index] if len(starts) else index >= 0
        return None if inside.all() else _refuse(_bounds(writes), ~inside, (lanes, addresses, Space.GLOBAL))


def _bounds(writes: bool) -> FaultKind:
    return FaultKind.OOB_WRITE if writes else FaultKind.OOB_READ


def _refuse(kind: FaultKind, wrong: Lanes, request: tuple[Lanes, Lanes, Space]) -> Refused:
    lanes, addresses, space = request
    first = int(np.flatnonzero(wrong)[0])
    return Refused(kind, int(lanes[first]), int(addresses[first]), space)
