"""Where things lie: registers and masks in a warp's record, sites of memory instructions, numbers of nodes."""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass

from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.jit.codegen.emitter import WARP
from warpwright.emulator.jit.context import WarpHeader
from warpwright.emulator.ops.builder import LaneType, integer

_ALIGN = 64


@dataclass(frozen=True, slots=True)
class Layout:
    """One kernel's record of a warp: header, ready bits, pending masks, predicates, registers.

    zeroed: (offset, bytes) that every block begins with as zero: the head, and registers that may be read unwritten.
    """

    ready_words: int
    pending_offset: int
    registers: Mapping[str, int]
    kinds: Mapping[str, LaneType]
    zeroed: tuple[tuple[int, int], ...]
    warp_bytes: int


def layout_of(graph: KernelGraph) -> Layout:
    """The layout; the same for equal graphs, so that cached machine code fits it."""
    words = -(-len(graph.blocks) // 64)
    pending = ctypes.sizeof(WarpHeader) + words * 8
    place = pending + len(graph.blocks) * 4
    kinds = {name: integer(bits) for name, bits in graph.registers.items()}
    offsets: dict[str, int] = {}
    for name in sorted(kinds, key=lambda name: (kinds[name].bits, name)):
        size = stored_bytes(kinds[name])
        place = _up(place, min(size, _ALIGN))
        offsets[name] = place
        place += size
    unwritten = sorted(graph.blocks[0].live_in & offsets.keys())
    zeroed = ((0, pending + len(graph.blocks) * 4), *((offsets[name], stored_bytes(kinds[name])) for name in unwritten))
    return Layout(words, pending, offsets, kinds, zeroed, _up(place, 2 * _ALIGN))


def stored_bytes(kind: LaneType) -> int:
    """Bytes of one register of a warp; a predicate is a 32-bit mask."""
    return 4 if kind is LaneType.I1 else kind.bits // 8 * WARP


def nodes_in_order(graph: KernelGraph) -> tuple[Node, ...]:
    """Every instruction under the number that faults carry."""
    return tuple(node for block in graph.blocks for node in block.nodes)


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
