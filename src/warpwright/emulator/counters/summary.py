"""Raw counts of some blocks to a profile of the launch: scaled, summed by pipe, placed on source lines."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpwright.emulator.counters.access import access_of, bytes_per_lane
from warpwright.emulator.counters.atomics import shared_atomic_cycles
from warpwright.emulator.counters.dependence import BlockCost, block_cost, is_far_load, space_of
from warpwright.emulator.counters.expansion import slots_by_pipe
from warpwright.emulator.counters.merging import merged_loads
from warpwright.emulator.counters.profile import MemoryTraffic
from warpwright.emulator.counters.raw import MemoryCount, RawCounts
from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.ops.table import Pipe
from warpwright.emulator.ptx.ir import Space

Weighted = np.ndarray[Any, np.dtype[np.float64]]

_HALF_TYPES = frozenset({"f16", "bf16", "f16x2", "bf16x2"})
_SHUFFLES = frozenset({"shfl"})
GLOBAL_SPACES = frozenset({Space.GLOBAL, Space.GENERIC})
"""A generic access is counted as global."""


@dataclass(frozen=True, slots=True)
class ScaledCounts:
    """Counts of the whole grid: those of the blocks that ran, each times the number of blocks that it stands for."""

    block_warps: Weighted
    block_lanes: Weighted
    memory: Weighted
    barriers: float


def scale(counts: Sequence[RawCounts], weights: Sequence[float]) -> ScaledCounts:
    """Weighted sum over runs. counts: at least one, all of the same kernel."""
    w = np.asarray(weights)
    return ScaledCounts(
        np.tensordot(w, np.stack([c.block_warps for c in counts]), 1),
        np.tensordot(w, np.stack([c.block_lanes for c in counts]), 1),
        np.tensordot(w, np.stack([c.memory for c in counts]), 1),
        float(sum(x * c.barriers for x, c in zip(weights, counts, strict=True))),
    )


class KernelCosts:
    """What the counts of one kernel are multiplied with; computed once for a graph."""

    def __init__(self, graph: KernelGraph) -> None:
        self.graph = graph
        self.blocks: tuple[BlockCost, ...] = tuple(block_cost(block) for block in graph.blocks)
        self.instructions = np.array([len(block.nodes) for block in graph.blocks], np.float64)
        self.merged = merged_loads(graph)
        self.in_global = np.array([space_of(n) in GLOBAL_SPACES for n in graph.memory_instructions], bool)

    def warp_instructions(self, counts: RawCounts) -> int:
        """PTX warp instructions of one run."""
        return int(counts.block_warps @ self.instructions.astype(np.int64))

    def by_pipe(self, counts: ScaledCounts) -> dict[str, float]:
        """PTX warp instructions by pipe."""
        totals = dict.fromkeys(Pipe, 0.0)
        for block, warps in zip(self.graph.blocks, counts.block_warps, strict=True):
            for node in block.nodes:
                totals[node.bound.operation.pipe] += float(warps)
        return {pipe.value: float(total) for pipe, total in totals.items() if total}

    def slots(self, counts: ScaledCounts) -> dict[str, float]:
        """Issue slots by pipe, as `expansion` estimates them."""
        totals = dict.fromkeys(Pipe, 0.0)
        for block, warps in zip(self.graph.blocks, counts.block_warps, strict=True):
            for node in block.nodes:
                together = self.merged.get(-1 if node.memory_index is None else node.memory_index, 1)
                for pipe, slots in slots_by_pipe(node.bound).items():
                    totals[pipe] += warps * slots / together
        return {pipe.value: float(total) for pipe, total in totals.items() if total}

    def flops(self, counts: ScaledCounts) -> dict[int, float]:
        """Floating-point operations by width of their type in bits; guarded-off lanes count."""
        totals = {16: 0.0, 32: 0.0, 64: 0.0}
        for block, lanes in zip(self.graph.blocks, counts.block_lanes, strict=True):
            for node in block.nodes:
                if node.bound.operation.flops:
                    totals[_flop_width(node)] += float(lanes) * node.bound.operation.flops
        return totals

    def shuffles(self, counts: ScaledCounts) -> float:
        """Warp-level shuffles."""
        return sum(
            float(warps) * sum(node.instruction.opcode in _SHUFFLES for node in block.nodes)
            for block, warps in zip(self.graph.blocks, counts.block_warps, strict=True)
        )

    def waits(self, counts: ScaledCounts, ratios: Weighted) -> float:
        """Waits for global memory whose farthest load is among the given share of requests, by memory instruction."""
        total = 0.0
        for block, warps, cost in zip(self.graph.blocks, counts.block_warps, self.blocks, strict=True):
            if not (cost.global_waits and warps):
                continue
            near = 1.0
            for node in block.nodes:
                if is_far_load(node) and node.memory_index is not None:
                    near *= 1.0 - min(1.0, float(ratios[node.memory_index]))
            total += float(warps) * cost.global_waits * (1.0 - math.pow(near, 1.0 / cost.global_waits))
        return total

    def shared_atomic_cycles(self, counts: ScaledCounts) -> float:
        """LSU cycles of atomics on shared memory."""
        rows = zip(self.graph.memory_instructions, counts.memory, strict=True)
        return sum(
            shared_atomic_cycles(node, row)
            for node, row in rows
            if access_of(node) == "atomic" and space_of(node) is Space.SHARED
        )

    def merged_wavefronts(self, counts: ScaledCounts) -> float:
        """Shared wavefronts that merged loads save; a 128-bit load takes two at least."""
        saved = 0.0
        for index, together in self.merged.items():
            row = counts.memory[index]
            wavefronts = row[MemoryCount.WAVEFRONTS]
            saved += max(0.0, wavefronts - max(row[MemoryCount.REQUESTS] / 2, wavefronts / together))
        return float(saved)

    def total(self, counts: ScaledCounts, what: str) -> float:
        """Sum of one field of `BlockCost` over all executions."""
        return float(sum(w * getattr(cost, what) for w, cost in zip(counts.block_warps, self.blocks, strict=True)))

    def traffic(self, counts: ScaledCounts) -> tuple[MemoryTraffic, ...]:
        """One entry for each instruction on global, shared or local memory that ran."""
        rows = zip(self.graph.memory_instructions, counts.memory, strict=True)
        return tuple(
            _traffic(node, row)
            for node, row in rows
            if row[MemoryCount.REQUESTS] and space_of(node) not in (Space.PARAM, Space.CONST)
        )


def _traffic(node: Node, row: Weighted) -> MemoryTraffic:
    space = space_of(node)
    source = node.instruction.source
    return MemoryTraffic(
        space=(Space.GLOBAL if space is Space.GENERIC else space).value,
        access=access_of(node),
        line=None if source is None else source.line,
        requests=float(row[MemoryCount.REQUESTS]),
        lanes=float(row[MemoryCount.LANES]),
        bytes_per_lane=bytes_per_lane(node),
        sectors=float(row[MemoryCount.SECTORS]),
        lines=float(row[MemoryCount.LINES]),
        wavefronts=float(row[MemoryCount.WAVEFRONTS]),
        conflicts=float(row[MemoryCount.CONFLICTS]),
        serial=float(row[MemoryCount.SERIAL]),
    )


def _flop_width(node: Node) -> int:
    kind = node.bound.form.type
    if kind in _HALF_TYPES:
        return 16
    return 64 if kind == "f64" else 32
