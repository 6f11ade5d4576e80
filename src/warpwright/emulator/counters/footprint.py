"""What a launch asks of L1, L2 and DRAM, from the address traces of a few blocks of it.

The traced blocks stand for all. What each touches alone grows with the grid, but never beyond the buffers it lies in; what
several of them touch is shared and counted once. Reuse within the traced blocks is simulated (`cache`); reuse of shared data
by later waves of blocks is held against the bytes that a wave brings in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpwright.emulator.counters.access import access_of
from warpwright.emulator.counters.atomics import hottest_line
from warpwright.emulator.counters.cache import ATOMIC, BYPASS, FAR, L2, LOAD, STORE, CacheSizes, TwoLevels
from warpwright.emulator.counters.profile import Footprint
from warpwright.emulator.counters.trace import SECTOR_BYTES, Numbers, SectorStream, Trace, sector_stream
from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.memory.arena import BASE_ADDRESS, Allocation

Ratios = np.ndarray[Any, np.dtype[np.float64]]

_SHARED_IN_WAVE = 1.1
"""Blocks of a wave on one granule, mean, from which a region counts as shared within the wave."""

_BYPASS_MODIFIERS = frozenset({"cg", "cv", "volatile", "relaxed", "acquire", "mmio"})


@dataclass(frozen=True, slots=True)
class Residency:
    """How the traced blocks stand to the rest of the grid, and the caches they run on.

    resident_blocks: on the whole GPU at once. request_ratio: traced requests over all requests of the traced blocks;
    warp_ratio: the same for warps. l1_bytes: per SM, after shared memory has taken its part.
    """

    grid_blocks: int
    row_blocks: int
    """Distance, in blocks, of neighbours along the slowest axis of the grid; 1 if it has one axis."""
    resident_blocks: int
    blocks_per_sm: int
    traced_blocks: int
    span_blocks: int
    """From the first to the last traced block, those between included."""
    request_ratio: float
    warp_ratio: float
    l1_bytes: float
    l2_bytes: float
    granule_bytes: int

    @property
    def scale(self) -> float:
        """From what was traced to the grid."""
        return self.grid_blocks / self.traced_blocks / self.request_ratio

    @property
    def together(self) -> float:
        """Traced blocks in terms of whole blocks that run at once."""
        return self.traced_blocks * self.warp_ratio


@dataclass(frozen=True, slots=True)
class ServedRatios:
    """Of each memory instruction: warp-level requests that wait for L2 or DRAM, and for DRAM."""

    beyond_l1: Ratios
    beyond_l2: Ratios


@dataclass(frozen=True, slots=True)
class _Region:
    """Distinct granules of one allocation: touched by one block (mean), by all resident ones, by the grid."""

    block: float
    wave: float
    grid: float


def footprint(
    graph: KernelGraph, traces: Sequence[Trace], allocations: Sequence[Allocation], residency: Residency
) -> tuple[Footprint, ServedRatios]:
    """Traffic of the launch beyond the LSU, and where each instruction's data comes from.

    traces: one for each traced block; all empty = no global memory is used.
    """
    instructions = len(graph.memory_instructions)
    if not sum(len(trace) for trace in traces):
        return Footprint(None, 0.0, 0.0, 0.0, 0.0, 0.0, None), ServedRatios(
            np.zeros(instructions), np.zeros(instructions)
        )
    stream = sector_stream(traces)
    region = _region_numbers(stream.sector, allocations)
    granules = [_distinct(stream, region == i, a, residency) for i, a in enumerate(allocations)]
    caches = TwoLevels(_sizes(granules, stream.part, residency), len(allocations))
    kinds = np.array([_kind(node) for node in graph.memory_instructions])[stream.memory_index]
    served = caches.run(stream.sector.tolist(), kinds.tolist(), region.tolist(), stream.step.tolist())
    caches.finish()
    counts, scale = caches.counts, residency.scale / stream.part
    read_bytes = _over_waves(caches.read_bytes, granules, scale, residency)
    prints = Footprint(
        l1_miss_ratio=counts.l1_misses / counts.loads if counts.loads else None,
        unique_sectors=_distinct_sectors(stream, region, allocations, residency),
        l2_sectors=counts.l2_accesses * scale,
        dram_read_bytes=read_bytes,
        dram_write_bytes=_over_waves(caches.write_bytes, granules, scale, residency),
        unique_bytes=sum(g.grid for g in granules) * residency.granule_bytes,
        hottest_atomic=hottest_line(graph, traces, residency.grid_blocks, residency.request_ratio),
    )
    # Later waves find in L2 what the traced one had to fetch: its misses are thinned to what the whole launch reads.
    thinned = min(1.0, read_bytes / max(1.0, sum(caches.read_bytes) * scale))
    return prints, _served(stream, served, instructions, thinned)


def _served(stream: SectorStream, served: list[int], instructions: int, thinned: float) -> ServedRatios:
    """By the farthest sector of each request; instructions that were not seen are like the mean."""
    starts = np.flatnonzero(np.r_[True, stream.request[1:] != stream.request[:-1]])
    farthest = np.maximum.reduceat(np.array(served), starts)
    instruction = stream.memory_index[starts]
    seen = np.bincount(instruction, minlength=instructions)

    def ratio(place: int) -> Ratios:
        found = (farthest >= place).astype(np.float64)
        counted = np.bincount(instruction, found, instructions) / np.maximum(seen, 1)
        return np.where(seen > 0, counted, found.mean())

    return ServedRatios(ratio(L2), ratio(FAR) * thinned)


def _kind(node: Node) -> int:
    access = access_of(node)
    if access == "load":
        return BYPASS if _BYPASS_MODIFIERS.intersection(node.instruction.modifiers) else LOAD
    return STORE if access == "store" else ATOMIC


def _region_numbers(sector: Numbers, allocations: Sequence[Allocation]) -> Numbers:
    """Number of the allocation that each sector lies in; allocations are in address order."""
    starts = np.array([(a.address - BASE_ADDRESS) // SECTOR_BYTES for a in allocations], np.int64)
    return np.maximum(np.searchsorted(starts, sector, side="right") - 1, 0)


def _distinct(stream: SectorStream, chosen: Numbers, allocation: Allocation, residency: Residency) -> _Region:
    granule = residency.granule_bytes
    per_granule = granule // SECTOR_BYTES
    limit = -(-allocation.size_bytes // granule) + 1
    return _grown(stream.sector[chosen] // per_granule, stream.block[chosen], limit, stream.part, residency)


def _distinct_sectors(
    stream: SectorStream, region: Numbers, allocations: Sequence[Allocation], residency: Residency
) -> float:
    total = 0.0
    for index, allocation in enumerate(allocations):
        chosen = region == index
        limit = -(-allocation.size_bytes // SECTOR_BYTES) + 1
        total += _grown(stream.sector[chosen], stream.block[chosen], limit, stream.part, residency).grid
    return total


def _grown(unit: Numbers, block: Numbers, limit: int, part: float, residency: Residency) -> _Region:
    """Distinct units of one block, of a wave and of the grid: own ones grow with the blocks, shared ones do not."""
    if not len(unit):
        return _Region(0.0, 0.0, 0.0)
    pairs = np.unique((unit << 16) | block) >> 16
    _, users = np.unique(pairs, return_counts=True)
    shared = float(np.count_nonzero(users > 1)) / part
    own = float(np.count_nonzero(users == 1)) / part / residency.traced_blocks / residency.request_ratio
    mean = float(len(pairs)) / part / residency.traced_blocks / residency.request_ratio
    if residency.traced_blocks == residency.grid_blocks:
        grid = min(
            float(limit), (shared + own * residency.grid_blocks) if residency.request_ratio < 1 else len(users) / part
        )
        return _Region(min(mean, limit), grid, grid)
    span = float(unit.max() - unit.min() + 1) * max(1.0, residency.resident_blocks / residency.span_blocks)
    reach = max(span, mean) if residency.request_ratio == 1 else float(limit)
    wave = min(float(limit), shared + own * residency.resident_blocks, reach)
    return _Region(min(mean, limit), wave, min(float(limit), shared + own * residency.grid_blocks))


def _sharing(region: _Region, residency: Residency) -> float:
    """Resident blocks that use the same granule, mean; at least 1."""
    return max(1.0, region.block * residency.resident_blocks / region.wave) if region.wave else 1.0


def _sizes(granules: Sequence[_Region], part: float, residency: Residency) -> CacheSizes:
    """Cache room of the traced blocks: their share of an SM and of the GPU; shared data takes room only once."""
    alone = sum(g.block for g in granules) * residency.resident_blocks
    sharing = max(1.0, alone / max(1.0, sum(g.wave for g in granules)))
    l1 = residency.l1_bytes * residency.together / residency.blocks_per_sm
    l2 = residency.l2_bytes * min(1.0, residency.together / residency.resident_blocks * sharing)
    return CacheSizes(l1 * part, l2 * part, residency.granule_bytes)


def _over_waves(moved_bytes: Sequence[float], granules: Sequence[_Region], scale: float, residency: Residency) -> float:
    """DRAM bytes of the grid: each granule once, and again for what L2 could not keep until another block wanted it."""
    total = 0.0
    for moved, region in zip(moved_bytes, granules, strict=True):
        if not moved:
            continue
        once = min(region.grid * residency.granule_bytes, moved * scale)
        refetched = max(0.0, moved * scale / _sharing(region, residency) - once)
        kept = 0.0
        if region.grid < region.block * residency.grid_blocks:
            kept = min(1.0, residency.l2_bytes / max(1.0, _bytes_between(region, granules, residency)))
        total += once + refetched * (1.0 - kept)
    return total


def _bytes_between(region: _Region, granules: Sequence[_Region], residency: Residency) -> float:
    """What passes through L2 between two blocks that want the same granule of a region.

    Blocks share data with neighbours along the axes of the grid; the farthest of them decides. In a grid of one axis, data
    that no block of the same wave shares is shared across the whole sweep (a stride that wraps around, a column a thread).
    """
    waves = max(1.0, residency.row_blocks / residency.resident_blocks)
    if residency.row_blocks == 1 and _sharing(region, residency) < _SHARED_IN_WAVE:
        waves = residency.grid_blocks / residency.resident_blocks
    return sum(min(g.grid, g.wave * waves) for g in granules) * residency.granule_bytes
