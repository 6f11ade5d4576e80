"""What a run left in its records, as counts and a fault in the words of the emulator."""

import numpy as np

from warpwright.emulator.counters.raw import Counts, MemoryCount, RawCounts
from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.jit.context import Site
from warpwright.emulator.jit.machine import Machine
from warpwright.emulator.ops.access import space_of
from warpwright.emulator.ptx.ir import Space

_FULL = 32


def counts_of(graph: KernelGraph, machine: Machine) -> RawCounts:
    """Counts of the whole run: those taken one by one, and those that follow from the inline paths."""
    memory = np.zeros((len(graph.memory_instructions), len(MemoryCount)), np.int64)
    for index, node in enumerate(graph.memory_instructions):
        site, row = machine.sites[index], memory[index]
        row[:] = site.sums[: len(MemoryCount)]
        if space_of(node.bound.form) is Space.SHARED:
            _add_shared(row, site)
        else:
            _add_global(row, site)
    warps, lanes = machine.executions[:, 0].copy(), machine.executions[:, 1].copy()
    return RawCounts(warps, lanes, memory, int(machine.context.barriers))


def _add_global(row: Counts, site: Site) -> None:
    for place, requests in enumerate(site.fast):
        sectors, lines = _contiguous(site.lane_bytes, place % 4, inner=place >= 4)
        _add(row, requests, (requests * _FULL, sectors, lines, max(lines, -(-sectors // 4))))
    _add(row, site.uniform, (site.uniform_lanes, 1, 1, 1))


def _contiguous(lane_bytes: int, sector: int, *, inner: bool) -> tuple[int, int]:
    """Sectors and lines of 32 neighbours that begin in that sector of a line, at its start or inside it."""
    sectors = lane_bytes + inner
    return sectors, (sector + sectors - 1) // 4 + 1


def _add_shared(row: Counts, site: Site) -> None:
    wavefronts = -(-site.lane_bytes * _FULL // 128)
    _add(row, site.contiguous, (site.contiguous * _FULL, 0, 0, wavefronts))
    _add(row, site.uniform, (site.uniform_lanes, 0, 0, 1))


def _add(row: Counts, requests: int, amounts: tuple[int, int, int, int]) -> None:
    """Requests of one kind: their lanes in all, and sectors, lines and wavefronts of each."""
    lanes, sectors, lines, wavefronts = amounts
    row[MemoryCount.REQUESTS] += requests
    row[MemoryCount.LANES] += lanes
    row[MemoryCount.SECTORS] += requests * sectors
    row[MemoryCount.LINES] += requests * lines
    row[MemoryCount.WAVEFRONTS] += requests * wavefronts
