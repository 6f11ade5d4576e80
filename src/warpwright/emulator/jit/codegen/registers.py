"""Registers inside one basic block: loaded at first use, kept as values, written back at the end if anybody reads them."""

from collections.abc import Iterable

from warpwright.emulator.jit.codegen.builder import LlvmBuilder
from warpwright.emulator.jit.codegen.emitter import WARP, Lanes
from warpwright.emulator.jit.codegen.layout import Layout
from warpwright.emulator.ops.builder import LaneType, integer


class Registers:
    """Values of registers at the current point of a basic block. Registers are bits; readers say as what."""

    def __init__(self, builder: LlvmBuilder, layout: Layout, *, masked_stores: bool) -> None:
        self._builder = builder
        self._layout = layout
        self._masked_stores = masked_stores
        self._values: dict[str, Lanes] = {}
        self._casts: dict[tuple[str, LaneType], Lanes] = {}
        self._written: set[str] = set()

    def kind(self, name: str) -> LaneType:
        """Integer lane type of a register's width."""
        return self._layout.kinds[name]

    def read(self, name: str, kind: LaneType) -> Lanes:
        """A register as lanes of a type; a narrower type takes the low bits, a wider one adds zeros."""
        if name not in self._values:
            self._values[name] = self._load(name)
        key = (name, kind)
        if key not in self._casts:
            self._casts[key] = self._cast(self._values[name], kind)
        return self._casts[key]

    def write(self, name: str, value: Lanes, *, signed: bool, guard: Lanes | None) -> None:
        """A new value; lanes outside the guard keep the old one. signed: how a narrower value fills the register."""
        own = self.kind(name)
        if value.kind.bits != own.bits:
            value = self._resize(value, own, signed=signed)
        if guard is not None:
            old = self.read(name, own)
            value = self._builder.select(guard, self._cast(value, own), old)
        for kind in LaneType:
            self._casts.pop((name, kind), None)
        self._values[name] = value
        self._written.add(name)

    def write_back(self, live: Iterable[str], mask: str, active: Lanes) -> None:
        """Store the written registers that are live, for the lanes of the block's mask."""
        for name in sorted(self._written.intersection(live)):
            if self.kind(name) is LaneType.I1:
                self._store_predicate(name, mask)
            else:
                self._store(name, active)

    def _place(self, name: str) -> str:
        return self._builder.emitter.address("%warp", self._layout.registers[name])

    def _load(self, name: str) -> Lanes:
        emitter, kind = self._builder.emitter, self.kind(name)
        if kind is LaneType.I1:
            return self._builder.lanes_of(emitter.assign(f"load i32, ptr {self._place(name)}"))
        vector = self._builder.type_of(kind)
        return Lanes(kind, emitter.assign(f"load {vector}, ptr {self._place(name)}, align {_align(kind)}"))

    def _store_predicate(self, name: str, mask: str) -> None:
        emitter = self._builder.emitter
        new = emitter.assign(f"and i32 {self._builder.mask_of(self._values[name])}, {mask}")
        place = self._place(name)
        old = emitter.assign(f"load i32, ptr {place}")
        kept = emitter.assign(f"and i32 {old}, {emitter.assign(f'xor i32 {mask}, -1')}")
        emitter.line(f"store i32 {emitter.assign(f'or i32 {new}, {kept}')}, ptr {place}")

    def _store(self, name: str, active: Lanes) -> None:
        builder, kind = self._builder, self.kind(name)
        value, place, align = self._cast(self._values[name], kind), self._place(name), _align(kind)
        vector, lanes = builder.type_of(kind), f"<{WARP} x i1> {active.text}"
        if self._masked_stores:
            arguments = (vector, value.text), ("ptr", place), ("i32", str(align)), (f"<{WARP} x i1>", active.text)
            builder.emitter.call(f"llvm.masked.store.v{WARP}i{kind.bits}.p0", "void", *arguments)
            return
        # Without AVX-512 a masked store of narrow lanes is 32 branches; the record belongs to this warp alone.
        old = builder.emitter.assign(f"load {vector}, ptr {place}, align {align}")
        new = builder.emitter.assign(f"select {lanes}, {vector} {value.text}, {vector} {old}")
        builder.emitter.line(f"store {vector} {new}, ptr {place}, align {align}")

    def _cast(self, value: Lanes, kind: LaneType) -> Lanes:
        if value.kind is kind:
            return value
        if value.kind.bits == kind.bits:
            return self._builder.bitcast(value, kind)
        return self._builder.bitcast(self._resize(value, integer(kind.bits), signed=False), kind)

    def _resize(self, value: Lanes, kind: LaneType, *, signed: bool) -> Lanes:
        bits = self._builder.bitcast(value, integer(value.kind.bits))
        if bits.kind.bits > kind.bits:
            return self._builder.trunc(bits, kind)
        return self._builder.sext(bits, kind) if signed else self._builder.zext(bits, kind)


def _align(kind: LaneType) -> int:
    return min(64, kind.bits // 8 * WARP)
