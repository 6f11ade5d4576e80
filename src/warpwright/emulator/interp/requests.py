"""Loads, stores and atomics of one warp."""

from typing import Any

import numpy as np

from warpwright.emulator.counters.raw import RawCounts
from warpwright.emulator.execution import TRACE_DTYPE
from warpwright.emulator.flow.graph import Node
from warpwright.emulator.interp.array_builder import DTYPES, WARP
from warpwright.emulator.interp.counting import count_global, count_local, count_serial, count_shared
from warpwright.emulator.interp.exact import Lanes
from warpwright.emulator.interp.memory import Part, Refused, Spaces
from warpwright.emulator.interp.operands import WarpView
from warpwright.emulator.interp.state import Block, Mask, Warp
from warpwright.emulator.ops.access import Access, access_of
from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Operand, Space, Symbol

Trace = list[Any]
"""Records of TRACE_DTYPE."""


class Requests:
    """Performs the memory instructions of one warp; counts and traces them."""

    def __init__(self, view: WarpView, spaces: Spaces, counts: RawCounts, trace: Trace, room: int) -> None:
        self._view = view
        self._spaces = spaces
        self._counts = counts
        self._trace = trace
        self._room = room

    def perform(self, node: Node, block: Block, warp: Warp, mask: Mask) -> Refused | None:
        """One request of the lanes in `mask` (at least one); None, or the lane that may not do it."""
        access = access_of(node.bound, node.instruction)
        effect = node.bound.operation.effect
        addresses = self._addresses(access)
        pieces = self._spaces.parts(access.space, addresses, mask)
        if access.space in (Space.GLOBAL, Space.GENERIC):
            self._record(node, block, warp, (access, addresses, mask))
        parts = []
        for piece in pieces:
            part = self._spaces.place(warp, piece, access.bytes_per_lane, writes=effect is not Effect.LOAD)
            if isinstance(part, Refused):
                return part
            parts.append(part)
        for part in parts:
            self._count(node, part, access)
        match effect:
            case Effect.LOAD:
                self._load(access, parts, mask)
            case Effect.STORE:
                self._store(access, parts)
            case _:
                self._update(node, access, parts, mask)
        return None

    def parameter(self, node: Node, parameters: bytes, offsets: dict[str, int], mask: Mask) -> None:
        """`ld.param` of the entry."""
        access = access_of(node.bound, node.instruction)
        base = access.address.base
        assert isinstance(base, Symbol)
        start = offsets[base.name] + base.offset + access.address.offset
        dtype = DTYPES[access.element]
        for number, element in enumerate(access.elements):
            value = np.frombuffer(parameters, dtype, 1, start + number * access.element_bytes)[0]
            self._view.write(element, np.full(WARP, value, dtype), mask, sign=access.signed)

    def _addresses(self, access: Access) -> Lanes:
        base = self._view.read(access.address.base, LaneType.I64)
        return base + np.uint64(access.address.offset & 0xFFFF_FFFF_FFFF_FFFF)

    def _record(self, node: Node, block: Block, warp: Warp, request: tuple[Access, Lanes, Mask]) -> None:
        if len(self._trace) >= self._room:
            return
        access, addresses, mask = request
        record = np.zeros((), TRACE_DTYPE)
        word = int(np.packbits(mask, bitorder="little").view(np.uint32)[0])
        record["block"], record["warp"], record["memory_index"] = block.identifier, warp.index, node.memory_index
        record["mask"], record["size"], record["address"] = word, access.bytes_per_lane, addresses
        self._trace.append(record)

    def _count(self, node: Node, part: Part, access: Access) -> None:
        assert node.memory_index is not None
        row = self._counts.memory[node.memory_index]
        if part.space is Space.SHARED:
            count_shared(row, part.addresses, part.lanes, access.bytes_per_lane)
        elif part.space is Space.LOCAL:
            count_local(row, part.addresses, part.lanes)
        else:
            count_global(row, part.addresses)
        if node.bound.operation.effect in (Effect.ATOMIC, Effect.REDUCTION):
            count_serial(row, part.addresses)

    def _load(self, access: Access, parts: list[Part], mask: Mask) -> None:
        dtype = DTYPES[access.element]
        for number, element in enumerate(access.elements):
            value = np.zeros(WARP, dtype)
            for part in parts:
                value[part.lanes] = _typed(part, dtype)[_index(part, access, number)]
            self._view.write(element, value, mask, sign=access.signed)

    def _store(self, access: Access, parts: list[Part]) -> None:
        """Lanes in order, so that the last of several lanes at one address wins."""
        dtype = DTYPES[access.element]
        for number, element in enumerate(access.elements):
            value = self._view.read(element, access.element)
            for part in parts:
                _typed(part, dtype)[_index(part, access, number)] = value[part.lanes]

    def _update(self, node: Node, access: Access, parts: list[Part], mask: Mask) -> None:
        """Read, modify, write, lane after lane."""
        bound, dtype = node.bound, DTYPES[access.element]
        kinds = bound.operation.signature(bound.form).inputs[1:]
        inputs = [self._view.read(operand, kind) for operand, kind in zip(access.operands, kinds, strict=True)]
        old = np.zeros(WARP, dtype)
        for part in parts:
            memory, places = _typed(part, dtype), _index(part, access, 0)
            for lane, place in zip(part.lanes, places, strict=True):
                old[lane] = memory[place]
                now = np.full(WARP, memory[place], dtype)
                (new,) = bound.evaluate(self._view.builder, now, *inputs)
                memory[place] = new[lane]
        if access.result is not None:
            result: Operand = access.result
            self._view.write(result, old, mask, sign=False)


def _typed(part: Part, dtype: np.dtype[Any]) -> Lanes:
    """The space's memory as elements; its start is aligned to every element size."""
    whole = part.memory.size // dtype.itemsize * dtype.itemsize
    return part.memory[:whole].view(dtype)


def _index(part: Part, access: Access, number: int) -> Lanes:
    return part.places // access.element_bytes + number
