"""What an executor is asked and what it answers; `interp` and `jit` both implement `Executor`."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from warpwright.emulator.counters.raw import RawCounts
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.memory.fault import Fault

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Run:
    """Some blocks of one launch.

    parameters: the packed parameter block. blocks: linear block ids (x fastest) to run, in order; shared memory starts
    zeroed for each. shared_bytes: dynamic shared memory. budget: warp instructions for the whole run; spent = fault.
    trace_requests: record up to this many global requests of the run (0: none).
    """

    grid: Dim3
    block: Dim3
    shared_bytes: int
    parameters: bytes
    blocks: np.ndarray[Any, np.dtype[np.int64]]
    arena: Arena
    budget: int
    trace_requests: int = 0


TRACE_DTYPE = np.dtype(
    [
        ("block", "<u4"),
        ("warp", "<u2"),
        ("memory_index", "<u2"),
        ("mask", "<u4"),
        ("size", "<u4"),
        ("address", "<u8", (32,)),
    ]
)
"""One global request: linear block id, warp in the block, memory instruction, active lanes, bytes per lane, addresses."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """counts: over the blocks that ran; fault: the first one, or None. trace: of TRACE_DTYPE, in execution order."""

    counts: RawCounts
    fault: Fault | None
    trace: np.ndarray[Any, np.dtype[Any]]


class Executor(Protocol):
    """Executes one kernel. Raises UnsupportedInstruction when built, never while running."""

    def run(self, run: Run) -> RunReport:
        """Execute the blocks; memory in the arena is changed in place."""
        ...
