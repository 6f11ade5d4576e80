"""What a block and its warps are while they execute."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warpwright.emulator.execution import Run
from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.interp.array_builder import WARP
from warpwright.emulator.interp.exact import Lanes
from warpwright.emulator.ops.access import BarrierUse

Dim3 = tuple[int, int, int]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

_REGISTER_DTYPES = {1: np.bool_, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


@dataclass(slots=True)
class Waiting:
    """Lanes of one warp at a barrier. node: position of the instruction in the kernel; resume: basic block behind it."""

    use: BarrierUse
    number: int
    threads: int
    node: int
    resume: int
    lanes: Mask
    votes: Mask


@dataclass(slots=True)
class Warp:
    """One warp. pending: basic block -> lanes that go on there; the lowest block runs first."""

    index: int
    thread_ids: tuple[Lanes, Lanes, Lanes]
    pending: dict[int, Mask]
    registers: dict[str, Lanes]
    waiting: Waiting | None = None
    turns: int = 0
    """Back edges since the warp last gave way."""

    @property
    def done(self) -> bool:
        """True when every lane has left the kernel."""
        return not self.pending and self.waiting is None


@dataclass(slots=True)
class Block:
    """One thread block. arrived: threads that `bar.arrive` has brought to each barrier."""

    identifier: int
    index: Dim3
    warps: list[Warp]
    shared: np.ndarray[Any, np.dtype[np.uint8]]
    local: np.ndarray[Any, np.dtype[np.uint8]]
    arrived: dict[int, int] = field(default_factory=dict)


def begin_block(graph: KernelGraph, run: Run, identifier: int) -> Block:
    """A block at the kernel's first instruction: registers, shared and local memory are zero."""
    gx, gy, _ = run.grid
    width, height, depth = run.block
    threads = width * height * depth
    count = -(-threads // WARP)
    warps = []
    for index in range(count):
        linear = np.arange(index * WARP, (index + 1) * WARP)
        ids = (linear % width, linear // width % height, linear // (width * height))
        warps.append(
            Warp(
                index,
                (ids[0].astype(np.uint32), ids[1].astype(np.uint32), ids[2].astype(np.uint32)),
                {0: linear < threads},
                {name: np.zeros(WARP, _REGISTER_DTYPES[bits]) for name, bits in graph.registers.items()},
            )
        )
    local_stride = -(-graph.local_bytes // 16) * 16
    return Block(
        identifier,
        (identifier % gx, identifier // gx % gy, identifier // (gx * gy)),
        warps,
        np.zeros(graph.shared_static_bytes + run.shared_bytes, np.uint8),
        np.zeros(local_stride * WARP * count, np.uint8),
    )
