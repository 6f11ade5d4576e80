"""The LLVM `Builder`: every primitive of the operation table as vector instructions."""

from typing import Protocol

import numpy as np

from warpwright.emulator.jit.codegen.emitter import WARP, Emitter, Lanes
from warpwright.emulator.jit.codegen.floats import FloatPrimitives
from warpwright.emulator.ops.builder import LaneType


class SpecialRegisters(Protocol):
    """Where special registers come from; the code generator of a kernel knows."""

    def special(self, name: str, axis: str | None) -> Lanes:
        """A special register in every lane."""
        ...


class LlvmBuilder(FloatPrimitives):
    """`ops.builder.Builder` over LLVM text. `executing` is I1: the lanes that execute the current instruction."""

    def __init__(self, emitter: Emitter, *, has_f16c: bool, width: int = WARP) -> None:
        super().__init__(emitter, width)
        self.has_f16c = has_f16c
        self.executing: Lanes = self.const(1, LaneType.I1)
        self.registers: SpecialRegisters | None = None

    def lane(self) -> Lanes:
        """I32: 0..31."""
        return self.constant_lanes(LaneType.I32, np.arange(WARP, dtype=np.uint64))

    def active(self) -> Lanes:
        """I1: lanes that execute this instruction."""
        return self.executing

    def ballot(self, a: Lanes) -> Lanes:
        """I32 in all lanes: bit i is lane i of a."""
        return self.splat(self.mask_of(a), LaneType.I32)

    def permute(self, a: Lanes, source_lane: Lanes) -> Lanes:
        """Lane i of the result is lane source_lane[i] of a."""
        a = self.canonical(a)
        if source_lane.constant is not None:
            indices = ", ".join(f"i32 {int(lane) % WARP}" for lane in source_lane.constant)
            poison = f"{self.type_of(a.kind)} poison"
            return self.emit(a.kind, f"shufflevector {self.typed(a)}, {poison}, <{WARP} x i32> <{indices}>")
        if a.kind is LaneType.I1:
            wide = self.permute(self.zext(a, LaneType.I32), source_lane)
            return self.trunc(wide, LaneType.I1)
        self.emitter.store(self.type_of(a.kind), a.text, "%scratch.a")
        self.emitter.store(f"<{WARP} x i32>", source_lane.text, "%scratch.b")
        name = f"ww_permute_{a.kind.bits // 8}"
        self.emitter.call(name, "void", ("ptr", "%scratch.a"), ("ptr", "%scratch.b"), ("ptr", "%scratch.c"))
        return Lanes(a.kind, self.emitter.load(self.type_of(a.kind), "%scratch.c"))

    def special(self, name: str, axis: str | None) -> Lanes:
        """A special register."""
        assert self.registers is not None, "no special registers outside a kernel"
        return self.registers.special(name, axis)

    def mask_of(self, a: Lanes) -> str:
        """The I1 lanes as an i32 scalar."""
        if a.constant is not None:
            bits = sum(1 << i for i, lane in enumerate(a.constant) if lane)
            return str(bits)
        return self.emitter.assign(f"bitcast <{WARP} x i1> {a.text} to i32")

    def lanes_of(self, mask: str) -> Lanes:
        """An i32 scalar as I1 lanes."""
        return self.emit(LaneType.I1, f"bitcast i32 {mask} to <{WARP} x i1>")
