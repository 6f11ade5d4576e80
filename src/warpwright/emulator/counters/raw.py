"""Counts as an executor takes them: per basic block and per memory instruction, in the kernel's own numbering."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

Counts = np.ndarray[Any, np.dtype[np.int64]]


class MemoryCount(IntEnum):
    """Column of `RawCounts.memory`. Source of the rules: `docs/emulator.md`, checked against Nsight Compute."""

    REQUESTS = 0
    """Warp-level executions with at least one active lane."""
    LANES = 1
    """Active lanes summed over requests."""
    SECTORS = 2
    """Distinct 32-byte sectors per request (global, local)."""
    LINES = 3
    """Distinct 128-byte lines per request (global, local)."""
    WAVEFRONTS = 4
    """Global: max(lines, sectors / 4). Shared: the most words any one bank serves, per phase (8 lanes for 128-bit)."""
    CONFLICTS = 5
    """Shared: wavefronts above the least possible for the bytes asked for."""
    SERIAL = 6
    """Atomics: the most lanes that meet on one address."""


@dataclass(frozen=True, slots=True)
class RawCounts:
    """Totals over the blocks that ran.

    block_warps, block_lanes: int64[basic blocks]: warp executions, active lanes.
    memory: int64[memory instructions, len(MemoryCount)]; the order is that of `KernelGraph.memory_instructions`.
    """

    block_warps: Counts
    block_lanes: Counts
    memory: Counts
    barriers: int
    """Barrier arrivals, per warp."""

    @staticmethod
    def zeros(basic_blocks: int, memory_instructions: int) -> "RawCounts":
        """All zero, to be filled by an executor."""
        return RawCounts(
            np.zeros(basic_blocks, np.int64),
            np.zeros(basic_blocks, np.int64),
            np.zeros((memory_instructions, len(MemoryCount)), np.int64),
            0,
        )
