"""Loads and stores: inline paths for contiguous and uniform requests, the runtime for every other."""

from dataclasses import dataclass

import numpy as np

from warpwright.emulator.jit.codegen.builder import LlvmBuilder
from warpwright.emulator.jit.codegen.emitter import WARP, Lanes, scalar_type
from warpwright.emulator.jit.codegen.operands import Operands
from warpwright.emulator.jit.context import ROW_SHAPES, Site, offset
from warpwright.emulator.ops.access import Access
from warpwright.emulator.ops.builder import LaneType, integer
from warpwright.emulator.ptx.ir import Register, Space, Symbol

_CHECKS = {
    Space.GLOBAL: "ww_check_global",
    Space.CONST: "ww_check_global",
    Space.SHARED: "ww_check_shared",
    Space.LOCAL: "ww_check_local",
    Space.GENERIC: "ww_check_generic",
}
"""Runtime check of each space. A generic address is first tried as a global one, where its site last hit."""


@dataclass(frozen=True, slots=True)
class Request:
    """One access about to be made.

    addresses: of the lanes, in the space's own terms. mask: i32 of the lanes that take part, never 0. site: its record.
    fault: label to go to after a fault.
    """

    access: Access
    addresses: Lanes
    mask: str
    site: str
    fault: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Addresses of a request, and how far each lies from lane 0's. first: i64 of lane 0."""

    lanes: Lanes
    first: str
    distance: Lanes


Path = tuple[tuple[str, ...], str]
"""Loaded parts and the label that they come from."""


class Accesses:
    """Emits the loads and stores of one basic block."""

    def __init__(self, builder: LlvmBuilder, operands: Operands) -> None:
        self._builder = builder
        self._emitter = builder.emitter
        self._operands = operands

    def load(self, request: Request) -> tuple[Lanes, ...]:
        """Elements of each lane, as integers."""
        access = request.access
        kind = integer(access.element.bits)
        join = self._emitter.label("join")
        paths: list[Path] = []
        if _has_fast_paths(access):
            slow, other = self._emitter.label("slow"), self._emitter.label("other")
            place = self._place(request.addresses)
            self._contiguous_test(request, place, (slow, other))
            paths.append(self._contiguous_load(request, place, kind, join))
            self._emitter.begin(other)
            if _has_uniform_path(access):
                self._uniform_test(request, place, slow)
                paths.append(self._uniform_load(request, place, kind, join))
            else:
                self._emitter.jump(slow)
            self._emitter.begin(slow)
        paths.append(self._slow_load(request, kind))
        self._emitter.jump(join)
        self._emitter.begin(join)
        return tuple(self._merge(kind, paths, part) for part in range(len(access.elements)))

    def store(self, request: Request, values: tuple[Lanes, ...]) -> None:
        """Store integer elements; of several lanes on one address the highest lane wins."""
        if not _has_fast_paths(request.access):
            self._slow_store(request, values)
            return
        slow, join = self._emitter.label("slow"), self._emitter.label("join")
        place = self._place(request.addresses)
        self._contiguous_test(request, place, (slow, slow))
        self._count_contiguous(request, place.first)
        pointer = self._host_pointer(request.access.space, place.first)
        if len(values) == 1:
            vector, size = self._builder.type_of(values[0].kind), request.access.element_bytes
            self._emitter.line(f"store {vector} {values[0].text}, ptr {pointer}, align {size}")
        else:
            self._to_scratch(values)
            self._rows("store", request, pointer)
        self._emitter.jump(join)
        self._emitter.begin(slow)
        self._slow_store(request, values)
        self._emitter.jump(join)
        self._emitter.begin(join)

    def addresses(self, access: Access) -> Lanes:
        """Addresses in the space's own terms, offset included: I64, or I32 where a shared address is a 32-bit register."""
        address = access.address
        if isinstance(address.base, Symbol):
            return self._operands.read(Symbol(address.base.name, address.base.offset + address.offset), LaneType.I64)
        kind = LaneType.I64
        if access.space is Space.SHARED and isinstance(address.base, Register):
            kind = self._operands.register_kind(address.base)
        base = self._operands.read(address.base, kind)
        return self._builder.add(base, self._builder.const(address.offset, kind)) if address.offset else base

    def check(self, request: Request) -> None:
        """Check and count a request in the runtime, which leaves host addresses in `%scratch.addresses`."""
        emitter, builder = self._emitter, self._builder
        wide = builder.zext(request.addresses, LaneType.I64)
        emitter.store(builder.type_of(LaneType.I64), wide.text, "%scratch.addresses")
        name = _CHECKS[request.access.space]
        pointers = [("ptr", text) for text in ("%context", "%warp", request.site, "%scratch.addresses")]
        bad = emitter.call(name, "i32", *pointers, ("i32", request.mask))
        good = emitter.label("checked")
        emitter.branch(emitter.assign(f"icmp eq i32 {bad}, 0"), good, request.fault)
        emitter.begin(good)

    def _place(self, lanes: Lanes) -> _Place:
        emitter, builder = self._emitter, self._builder
        first = emitter.assign(f"extractelement {builder.typed(lanes)}, i32 0")
        distance = builder.sub(lanes, builder.splat(first, lanes.kind))
        wide = first if lanes.kind is LaneType.I64 else emitter.assign(f"zext i32 {first} to i64")
        return _Place(lanes, wide, distance)

    def _differing(self, place: _Place, expected: Lanes) -> str:
        differs = self._builder.compare("ne", place.distance, expected)
        return self._builder.mask_of(differs)

    def _contiguous_test(self, request: Request, place: _Place, labels: tuple[str, str]) -> None:
        """On to the contiguous path if all 32 lanes are there, one behind the other, inside bounds; labels: slow, other."""
        emitter = self._emitter
        slow, other = labels
        size = request.access.bytes_per_lane
        steps = self._builder.constant_lanes(place.lanes.kind, np.arange(WARP, dtype=np.uint64) * np.uint64(size))
        full = emitter.assign(f"xor i32 {request.mask}, -1")
        strays = emitter.assign(f"or i32 {self._differing(place, steps)}, {full}")
        bounds, path = emitter.label("bounds"), emitter.label("contiguous")
        emitter.branch(emitter.assign(f"icmp eq i32 {strays}, 0"), bounds, other)
        emitter.begin(bounds)
        emitter.branch(self._inside(request, place.first, WARP * size), path, slow)
        emitter.begin(path)

    def _uniform_test(self, request: Request, place: _Place, slow: str) -> None:
        """On to the uniform path if all active lanes have lane 0's address, inside bounds."""
        emitter = self._emitter
        differing = self._differing(place, self._builder.const(0, place.lanes.kind))
        strays = emitter.assign(f"and i32 {differing}, {request.mask}")
        bounds, path = emitter.label("bounds"), emitter.label("uniform")
        emitter.branch(emitter.assign(f"icmp eq i32 {strays}, 0"), bounds, slow)
        emitter.begin(bounds)
        emitter.branch(self._inside(request, place.first, request.access.bytes_per_lane), path, slow)
        emitter.begin(path)

    def _inside(self, request: Request, first: str, span: int) -> str:
        """i1: aligned, and `span` bytes from there on lie in the allocation last hit, or in shared memory."""
        emitter, size = self._emitter, request.access.bytes_per_lane
        if request.access.space is Space.SHARED:
            into, total = first, "%shared.bytes"
        else:
            into = emitter.assign(f"sub i64 {first}, {emitter.load('i64', request.site, offset(Site, 'first'))}")
            total = emitter.load("i64", request.site, offset(Site, "bytes"))
        limit = emitter.call("llvm.usub.sat.i64", "i64", ("i64", total), ("i64", str(span - 1)))
        inside = emitter.assign(f"icmp ult i64 {into}, {limit}")
        if size == 1:
            return inside
        rest = emitter.assign(f"and i64 {first}, {size - 1}")
        return emitter.assign(f"and i1 {inside}, {emitter.assign(f'icmp eq i64 {rest}, 0')}")

    def _host_pointer(self, space: Space, first: str) -> str:
        base = "%shared.base" if space is Space.SHARED else "%bias"
        address = self._emitter.assign(f"add i64 {first}, {base}")
        return self._emitter.assign(f"inttoptr i64 {address} to ptr")

    def _count_contiguous(self, request: Request, first: str) -> None:
        emitter = self._emitter
        if request.access.space is Space.SHARED:
            emitter.add_to(request.site, offset(Site, "contiguous"), "1")
            return
        sector = emitter.assign(f"and i64 {emitter.assign(f'lshr i64 {first}, 5')}, 3")
        rest = emitter.assign(f"and i64 {first}, 31")
        inner = emitter.assign(f"select i1 {emitter.assign(f'icmp ne i64 {rest}, 0')}, i64 4, i64 0")
        row = emitter.assign(f"shl i64 {emitter.assign(f'or i64 {sector}, {inner}')}, 3")
        emitter.add_to(emitter.address(request.site, offset(Site, "fast")), row, "1")

    def _contiguous_load(self, request: Request, place: _Place, kind: LaneType, join: str) -> Path:
        self._count_contiguous(request, place.first)
        pointer = self._host_pointer(request.access.space, place.first)
        if len(request.access.elements) > 1:
            self._rows("load", request, pointer)
            return self._leave(self._from_scratch(kind, len(request.access.elements)), join)
        vector = self._builder.type_of(kind)
        value = self._emitter.assign(f"load {vector}, ptr {pointer}, align {request.access.element_bytes}")
        return self._leave((value,), join)

    def _rows(self, name: str, request: Request, pointer: str) -> None:
        shape = f"{request.access.element_bytes}_{len(request.access.elements)}"
        self._emitter.call(f"ww_{name}_rows_{shape}", "void", ("ptr", pointer), ("ptr", "%scratch.data"))

    def _uniform_load(self, request: Request, place: _Place, kind: LaneType, join: str) -> Path:
        emitter = self._emitter
        emitter.add_to(request.site, offset(Site, "uniform"), "1")
        lanes = emitter.call("llvm.ctpop.i32", "i32", ("i32", request.mask))
        emitter.add_to(request.site, offset(Site, "uniform_lanes"), emitter.assign(f"zext i32 {lanes} to i64"))
        pointer = self._host_pointer(request.access.space, place.first)
        size = request.access.element_bytes
        parts = range(len(request.access.elements))
        scalars = [emitter.load(scalar_type(kind), pointer, part * size, align=size) for part in parts]
        return self._leave(tuple(self._builder.splat(scalar, kind).text for scalar in scalars), join)

    def _leave(self, values: tuple[str, ...], join: str) -> Path:
        path = values, self._emitter.current
        self._emitter.jump(join)
        return path

    def _slow_load(self, request: Request, kind: LaneType) -> Path:
        emitter, parts = self._emitter, len(request.access.elements)
        self.check(request)
        self._move("gather", request, parts)
        return self._from_scratch(kind, parts), emitter.current

    def _slow_store(self, request: Request, values: tuple[Lanes, ...]) -> None:
        self.check(request)
        self._to_scratch(values)
        self._move("scatter", request, len(values))

    def _from_scratch(self, kind: LaneType, parts: int) -> tuple[str, ...]:
        size, vector = kind.bits // 8 * WARP, self._builder.type_of(kind)
        return tuple(self._emitter.load(vector, "%scratch.data", part * size) for part in range(parts))

    def _to_scratch(self, values: tuple[Lanes, ...]) -> None:
        for part, value in enumerate(values):
            size = value.kind.bits // 8 * WARP
            self._emitter.store(self._builder.type_of(value.kind), value.text, "%scratch.data", part * size)

    def _move(self, name: str, request: Request, parts: int) -> None:
        self._emitter.call(
            f"ww_{name}_{request.access.element_bytes}",
            "void",
            ("ptr", "%scratch.addresses"),
            ("i32", request.mask),
            ("ptr", "%scratch.data"),
            ("i64", str(parts)),
        )

    def _merge(self, kind: LaneType, paths: list[Path], part: int) -> Lanes:
        incoming = ", ".join(f"[ {values[part]}, %{label} ]" for values, label in paths)
        return self._builder.emit(kind, f"phi {self._builder.type_of(kind)} {incoming}")


def _has_fast_paths(access: Access) -> bool:
    """Whether inline paths exist: memory that all lanes share, and a shape that the runtime can take apart."""
    parts = len(access.elements)
    return access.space is not Space.LOCAL and (parts == 1 or (access.element_bytes, parts) in ROW_SHAPES)


def _has_uniform_path(access: Access) -> bool:
    """A broadcast is one wavefront, except that wide shared accesses go in several phases."""
    return access.space is not Space.SHARED or access.bytes_per_lane <= 4
