"""Address traces of some blocks as one stream of sector accesses, in the order in which an SM would see them.

An executor runs warps one after another; an SM runs them together. Requests are put in the order of their number within
their warp, so that all resident warps advance in step. Long streams are thinned by keeping a fixed part of all 128-byte
lines (chosen by a hash of the address); a cache thinned alike keeps its hit ratio (Waldspurger et al., SHARDS, FAST 2015).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpwright.emulator.memory.arena import BASE_ADDRESS

SECTOR_BYTES = 32
LINE_BYTES = 128

MAX_SECTORS = 120_000
"""Sector accesses kept at most; the cache model takes about 0.6 us for each."""

LEAST_PART = 1 / 32
"""Lines are never thinned further than this: the thinned cache must keep enough lines to mean something."""

Trace = np.ndarray[Any, np.dtype[Any]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]

_HASH = np.uint64(0x9E3779B97F4A7C15)
_SECTOR_BITS = 40
_LOOKED_AT = 2048


@dataclass(frozen=True, slots=True)
class SectorStream:
    """Accesses in time order. sector: offset from the arena's start in sectors; memory_index: which instruction;
    block: number of the trace; request: number of the warp-level request; step: its number within its warp.
    part: share of all lines that was kept.
    """

    sector: Numbers
    request: Numbers
    step: Numbers
    memory_index: Numbers
    block: Numbers
    part: float


def sector_stream(traces: Sequence[Trace]) -> SectorStream:
    """The traces of blocks that are resident together, as one stream."""
    requests = np.concatenate(traces)
    block = np.repeat(np.arange(len(traces)), [len(trace) for trace in traces])
    step = _number_in_warp(requests["warp"], block)
    order = np.lexsort((requests["warp"], block, step))
    requests, block, step = requests[order], block[order], step[order]
    lane = np.arange(32, dtype=np.uint32)
    active = (requests["mask"][:, None] >> lane) & 1 != 0
    sector = (requests["address"].astype(np.int64) - BASE_ADDRESS) // SECTOR_BYTES
    part = _kept_part(active, sector)
    if part < 1:
        line = (sector >> 2).astype(np.uint64)
        active &= (line * _HASH) >> np.uint64(32) < np.uint64(int(part * 2**32))
    row, column = np.nonzero(active)
    key = np.unique((row << _SECTOR_BITS) | sector[row, column])
    row = key >> _SECTOR_BITS
    return SectorStream(
        sector=key & ((1 << _SECTOR_BITS) - 1),
        request=row,
        step=step[row],
        memory_index=requests["memory_index"][row].astype(np.int64),
        block=block[row],
        part=part,
    )


def _kept_part(active: Any, sector: Numbers) -> float:
    """From a look at some requests: distinct sectors of a request are at most its lanes, often far fewer.

    They are drawn at random: every n-th one could be the same instruction of a loop each time.
    """
    chosen = np.random.default_rng(0).integers(0, len(sector), _LOOKED_AT)
    looked = np.sort(np.where(active[chosen], sector[chosen], -1), axis=1)
    distinct = np.count_nonzero(np.diff(looked, axis=1, prepend=-1), axis=1).mean()
    return float(min(1.0, max(LEAST_PART, MAX_SECTORS / max(1.0, distinct * len(sector)))))


def _number_in_warp(warp: Any, block: Numbers) -> Numbers:
    """Position of each request among those of its own warp."""
    identity = block * 65536 + warp
    order = np.argsort(identity, kind="stable")
    grouped = identity[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
    lengths = np.diff(np.r_[starts, len(grouped)])
    number = np.empty(len(warp), np.int64)
    number[order] = np.arange(len(grouped)) - np.repeat(starts, lengths)
    return number
