"""How far the atomics of a launch get into each other's way."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from warpwright.emulator.counters.access import access_of
from warpwright.emulator.counters.raw import MemoryCount
from warpwright.emulator.counters.trace import LINE_BYTES, SECTOR_BYTES, Numbers, Trace
from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.memory.arena import BASE_ADDRESS
from warpwright.emulator.ptx.ir import Immediate

_OFFSET_BITS = 40

INTEGER_STEP = 0.42
"""A further lane's integer update of an address already at hand, over a float one. H200: 1.46 and 3.5 cycles (measured)."""


FLOAT_SHARED_CYCLES = 6.0
"""LSU cycles of one lane's turn in the compare-and-swap loop that a shared float atomic becomes: a load and a swap, tried
again. Not measured."""


def shared_atomic_cycles(node: Node, counts: Any) -> float:
    """LSU cycles of one shared atomic; counts: its row of memory counts.

    Lanes that add the same constant to one address are counted, not queued (H200: a histogram with 90 % of its bytes alike is
    as fast as a uniform one); other integer updates of one address follow one another.
    """
    wavefronts, serial = float(counts[MemoryCount.WAVEFRONTS]), float(counts[MemoryCount.SERIAL])
    if _step(node) == 1.0:
        return serial * FLOAT_SHARED_CYCLES
    constant = "add" in node.bound.form.modifiers and isinstance(node.instruction.operands[-1], Immediate)
    return wavefronts if constant else max(wavefronts, serial)


def hottest_line(graph: KernelGraph, traces: Sequence[Trace], grid_blocks: int, request_ratio: float) -> float | None:
    """Read-modify-writes that must follow one another on the busiest 128-byte line; None without global atomics.

    Within a request, lanes on one address follow one another; different addresses of a sector are served together, the
    sectors of a line are not. A line that several traced blocks use is taken as used by the whole grid.
    """
    steps = np.array([_step(node) for node in graph.memory_instructions])
    per_block = [_line_work(trace[steps[trace["memory_index"]] > 0], steps) for trace in traces]
    if not any(len(lines) for lines, _ in per_block):
        return None
    lines = np.concatenate([lines for lines, _ in per_block])
    work = np.concatenate([work for _, work in per_block])
    distinct, place, users = np.unique(lines, return_inverse=True, return_counts=True)
    total = np.bincount(place, weights=work, minlength=len(distinct))
    blocks = len(traces)
    common = (users > 1) | (blocks == 1)
    grown = np.where(common, total * grid_blocks / blocks, total)
    return float(grown.max()) / request_ratio


def _step(node: Node) -> float:
    """Steps of one lane's update; 0 for what is not an atomic."""
    if access_of(node) != "atomic":
        return 0.0
    return 1.0 if any(token.startswith(("f", "bf")) for token in node.bound.form.types) else INTEGER_STEP


def _line_work(requests: Trace, steps: Any) -> tuple[Numbers, Any]:
    """Lines that the atomics of one block touch, and the steps each of them must take."""
    if not len(requests):
        return np.empty(0, np.int64), np.empty(0)
    active = (requests["mask"][:, None] >> np.arange(32, dtype=np.uint32)) & 1 != 0
    row, lane = np.nonzero(active)
    offset = requests["address"][row, lane].astype(np.int64) - BASE_ADDRESS
    keys, lanes = np.unique((row << _OFFSET_BITS) | offset, return_counts=True)
    updates = np.maximum(1.0, lanes * steps[requests["memory_index"][keys >> _OFFSET_BITS]])
    sector = keys // SECTOR_BYTES
    starts = np.flatnonzero(np.r_[True, sector[1:] != sector[:-1]])
    most = np.maximum.reduceat(updates, starts)
    line = (keys[starts] & ((1 << _OFFSET_BITS) - 1)) // LINE_BYTES
    distinct, place = np.unique(line, return_inverse=True)
    return distinct, np.bincount(place, weights=most)
