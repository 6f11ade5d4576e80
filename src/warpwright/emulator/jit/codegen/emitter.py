"""LLVM IR as text: fresh names, labels and the types of 32-lane values. Nothing here needs llvmlite."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from warpwright.emulator.ops.builder import LaneType

WARP = 32
"""Lanes of a warp."""

ConstantLanes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """One SSA value or constant: `count` lanes of a type.

    constant: bit pattern of each lane where it is known at compile time (integers only).
    raw_nan: a float result whose NaN is not canonical yet; made so before its bits are seen.
    """

    kind: LaneType
    text: str
    constant: ConstantLanes | None = None
    raw_nan: bool = False


def scalar_type(kind: LaneType) -> str:
    """LLVM type of one lane: `i32`, `float`."""
    if kind.is_float:
        return "float" if kind is LaneType.F32 else "double"
    return f"i{kind.bits}"


def suffix(kind: LaneType) -> str:
    """The type as intrinsics spell it: `i32`, `f32`."""
    return f"f{kind.bits}" if kind.is_float else f"i{kind.bits}"


class Emitter:
    """Collects the instructions of one function and the declarations that they need."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}
        self.current = ""
        """Label of the basic block that is being written; a phi names it."""
        self._names = 0

    def line(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(text)

    def assign(self, text: str) -> str:
        """An instruction with a result; its name."""
        self._names += 1
        name = f"%v{self._names}"
        self.lines.append(f"{name} = {text}")
        return name

    def label(self, prefix: str) -> str:
        """A fresh label, not yet placed."""
        self._names += 1
        return f"{prefix}.{self._names}"

    def begin(self, label: str) -> None:
        """Start the basic block of that label."""
        self.current = label
        self.lines.append(f"{label}:")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """Conditional branch on an i1."""
        self.lines.append(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def jump(self, label: str) -> None:
        """Unconditional branch."""
        self.lines.append(f"br label %{label}")

    def declare(self, name: str, result: str, *parameters: str) -> None:
        """A function defined elsewhere, or an intrinsic."""
        self.declarations.setdefault(name, f"declare {result} @{name}({', '.join(parameters)})")

    def call(self, name: str, result: str, *arguments: tuple[str, str]) -> str:
        """Call of a declared function with (type, value) arguments; the result's name, empty for void."""
        self.declare(name, result, *(kind for kind, _ in arguments))
        text = f"call {result} @{name}({', '.join(f'{kind} {value}' for kind, value in arguments)})"
        if result == "void":
            self.line(text)
            return ""
        return self.assign(text)

    def address(self, base: str, offset: int | str) -> str:
        """`base + offset` bytes."""
        if offset == 0:
            return base
        return self.assign(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, kind: str, base: str, offset: int | str = 0, align: int | None = None) -> str:
        """A load of an LLVM type."""
        tail = f", align {align}" if align else ""
        return self.assign(f"load {kind}, ptr {self.address(base, offset)}{tail}")

    def store(self, kind: str, value: str, base: str, offset: int | str = 0, align: int | None = None) -> None:
        """A store of an LLVM type."""
        tail = f", align {align}" if align else ""
        self.line(f"store {kind} {value}, ptr {self.address(base, offset)}{tail}")

    def add_to(self, base: str, offset: int | str, amount: str) -> None:
        """`*(i64*)(base + offset) += amount`: a counter."""
        place = self.address(base, offset)
        old = self.assign(f"load i64, ptr {place}")
        self.line(f"store i64 {self.assign(f'add i64 {old}, {amount}')}, ptr {place}")
