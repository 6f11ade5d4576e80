"""Records of a kernel's memory instructions: as a run begins with them, and as counts when it is over."""

from typing import Any

import numpy as np

from warpwright.emulator.counters.raw import Counts, MemoryCount
from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.jit.codegen.emitter import WARP
from warpwright.emulator.jit.codegen.layout import nodes_in_order
from warpwright.emulator.jit.context import Site
from warpwright.emulator.ops.access import access_of
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Space

_DTYPE = np.dtype(Site)
_PLACES = np.arange(8)
"""Indices of `Site.fast`: sector of the line at which a request begins, plus 4 if it begins inside the sector."""

Sites = np.ndarray[Any, np.dtype[Any]]


class SiteTable:
    """The records of one kernel, made once; every run gets a copy."""

    def __init__(self, graph: KernelGraph) -> None:
        nodes = graph.memory_instructions
        accesses = [access_of(node.bound, node.instruction) for node in nodes]
        numbers = {id(node): number for number, node in enumerate(nodes_in_order(graph))}
        self._template = np.zeros(len(nodes), _DTYPE)
        self._template["node"] = [numbers[id(node)] for node in nodes]
        self._template["memory_index"] = np.arange(len(nodes))
        self._template["lane_bytes"] = [access.bytes_per_lane for access in accesses]
        self._template["writes"] = [node.bound.operation.effect is not Effect.LOAD for node in nodes]
        self._template["traced"] = [access.space is not Space.CONST for access in accesses]
        self._shared = np.array([access.space is Space.SHARED for access in accesses], np.bool_)

    @property
    def size_bytes(self) -> int:
        """Memory that a run needs for its copy."""
        return self._template.nbytes

    def begin(self, memory: np.ndarray[Any, np.dtype[np.uint8]]) -> Sites:
        """The records as a run begins with them, in memory of `size_bytes` bytes or more."""
        sites = memory[: self.size_bytes].view(_DTYPE)
        sites[:] = self._template
        return sites

    def counts(self, sites: Sites) -> Counts:
        """int64[instructions, len(MemoryCount)]: what was counted one by one, and what follows from the inline paths."""
        result = np.array(sites["sums"][:, : len(MemoryCount)], np.int64)
        lane_bytes = sites["lane_bytes"].astype(np.int64)
        fast, uniform = sites["fast"], sites["uniform"]
        contiguous = np.where(self._shared, sites["contiguous"], fast.sum(axis=1))
        result[:, MemoryCount.REQUESTS] += contiguous + uniform
        result[:, MemoryCount.LANES] += contiguous * WARP + sites["uniform_lanes"]
        # 32 neighbours fill as many sectors as a lane has bytes, and one more where they begin inside a sector.
        sectors = lane_bytes[:, None] + (_PLACES >= 4)
        lines = (_PLACES % 4 + sectors - 1) // 4 + 1
        wavefronts = np.maximum(lines, -(-sectors // 4))
        beyond_shared = np.where(self._shared, 0, uniform)
        result[:, MemoryCount.SECTORS] += (fast * sectors).sum(axis=1) + beyond_shared
        result[:, MemoryCount.LINES] += (fast * lines).sum(axis=1) + beyond_shared
        result[:, MemoryCount.WAVEFRONTS] += (fast * wavefronts).sum(axis=1) + uniform
        result[:, MemoryCount.WAVEFRONTS] += sites["contiguous"] * -(-lane_bytes * WARP // 128)
        return result
