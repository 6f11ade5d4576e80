"""Integer primitives of the LLVM `Builder`."""

import numpy as np

from warpwright.emulator.jit.codegen.emitter import Lanes, scalar_type
from warpwright.emulator.jit.codegen.lanes import LaneFactory
from warpwright.emulator.ops.builder import LaneType

_FLOAT_PREDICATES = {"eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "uno": "uno"}


class IntegerPrimitives(LaneFactory):
    """Wrapping integer arithmetic, logic, shifts, comparison and selection."""

    def _binary(self, name: str, a: Lanes, b: Lanes) -> Lanes:
        return self.emit(a.kind, f"{name} {self.typed(a)}, {b.text}")

    def add(self, a: Lanes, b: Lanes) -> Lanes:
        """a + b."""
        return self.fold(a.kind, np.add, a, b) or self._binary("add", a, b)

    def sub(self, a: Lanes, b: Lanes) -> Lanes:
        """a - b."""
        return self.fold(a.kind, np.subtract, a, b) or self._binary("sub", a, b)

    def mul(self, a: Lanes, b: Lanes) -> Lanes:
        """Low half of a * b."""
        return self.fold(a.kind, np.multiply, a, b) or self._binary("mul", a, b)

    def udiv(self, a: Lanes, b: Lanes) -> Lanes:
        """Unsigned quotient."""
        return self._divide("udiv", a, b)

    def urem(self, a: Lanes, b: Lanes) -> Lanes:
        """Unsigned remainder."""
        return self._divide("urem", a, b)

    def sdiv(self, a: Lanes, b: Lanes) -> Lanes:
        """Signed quotient toward zero."""
        return self._divide("sdiv", a, b)

    def srem(self, a: Lanes, b: Lanes) -> Lanes:
        """Signed remainder."""
        return self._divide("srem", a, b)

    def _divide(self, name: str, a: Lanes, b: Lanes) -> Lanes:
        # Vectors have no integer division on x86: 64-bit ones go to the runtime, narrower ones through doubles,
        # whose quotient of 32-bit integers never rounds across an integer (53 > 32 bits).
        if self.width == 1 or (b.constant is not None and a.kind is not LaneType.I64):
            return self._binary(name, a, b)
        if a.kind is LaneType.I64:
            return self._divide_outlined(name, a, b)
        signed = name[0] == "s"
        to_double, to_integer = ("sitofp", "fptosi") if signed else ("uitofp", "fptoui")
        double = self.type_of(LaneType.F64)
        x = self.emitter.assign(f"{to_double} {self.typed(a)} to {double}")
        y = self.emitter.assign(f"{to_double} {self.typed(b)} to {double}")
        quotient = self.emitter.assign(f"fdiv {double} {x}, {y}")
        result = self.emit(a.kind, f"{to_integer} {double} {quotient} to {self.type_of(a.kind)}")
        return result if name.endswith("div") else self.sub(a, self.mul(result, b))

    def _divide_outlined(self, name: str, a: Lanes, b: Lanes) -> Lanes:
        vector = self.type_of(a.kind)
        self.emitter.store(vector, a.text, "%scratch.a")
        self.emitter.store(vector, b.text, "%scratch.b")
        self.emitter.call(f"ww_{name}64", "void", ("ptr", "%scratch.a"), ("ptr", "%scratch.b"))
        return Lanes(a.kind, self.emitter.load(vector, "%scratch.a"))

    def and_(self, a: Lanes, b: Lanes) -> Lanes:
        """a & b."""
        return self.fold(a.kind, np.bitwise_and, a, b) or self._binary("and", a, b)

    def or_(self, a: Lanes, b: Lanes) -> Lanes:
        """a | b."""
        return self.fold(a.kind, np.bitwise_or, a, b) or self._binary("or", a, b)

    def xor(self, a: Lanes, b: Lanes) -> Lanes:
        """a ^ b."""
        return self.fold(a.kind, np.bitwise_xor, a, b) or self._binary("xor", a, b)

    def not_(self, a: Lanes) -> Lanes:
        """All bits flipped."""
        return self.xor(a, self.const(-1, a.kind))

    def shl(self, a: Lanes, count: Lanes) -> Lanes:
        """Shift left, count below the width."""
        return self.fold(a.kind, np.left_shift, a, count) or self._binary("shl", a, count)

    def lshr(self, a: Lanes, count: Lanes) -> Lanes:
        """Logical shift right, count below the width."""
        return self.fold(a.kind, np.right_shift, a, count) or self._binary("lshr", a, count)

    def ashr(self, a: Lanes, count: Lanes) -> Lanes:
        """Arithmetic shift right, count below the width."""
        return self._binary("ashr", a, count)

    def popcount(self, a: Lanes) -> Lanes:
        """Set bits."""
        return self.intrinsic("ctpop", a.kind, a)

    def leading_zeros(self, a: Lanes) -> Lanes:
        """Zero bits above the highest set bit; the width for 0."""
        vector = self.type_of(a.kind)
        name = f"llvm.ctlz.v{self.width}{scalar_type(a.kind)}"
        return Lanes(a.kind, self.emitter.call(name, vector, (vector, a.text), ("i1", "false")))

    def reverse_bits(self, a: Lanes) -> Lanes:
        """Bit i to bit width - 1 - i."""
        return self.intrinsic("bitreverse", a.kind, a)

    def compare(self, predicate: str, a: Lanes, b: Lanes) -> Lanes:
        """I1 of a comparison."""
        if a.kind.is_float:
            return self.emit(LaneType.I1, f"fcmp {_FLOAT_PREDICATES[predicate]} {self.typed(a)}, {b.text}")
        if a.constant is not None and b.constant is not None:
            return self.constant_lanes(LaneType.I1, _compare_constants(predicate, a, b))
        return self.emit(LaneType.I1, f"icmp {predicate} {self.typed(a)}, {b.text}")

    def select(self, condition: Lanes, a: Lanes, b: Lanes) -> Lanes:
        """Lane-wise condition ? a : b."""
        folded = self.fold(a.kind, lambda c, x, y: np.where(c != 0, x, y), condition, a, b)
        if folded is not None:
            return folded
        a, b = self.canonical(a), self.canonical(b)
        return self.emit(a.kind, f"select {self.typed(condition)}, {self.typed(a)}, {self.typed(b)}")

    def zext(self, a: Lanes, kind: LaneType) -> Lanes:
        """Zero extension."""
        return self.fold(kind, lambda x: x, a) or self._convert("zext", a, kind)

    def sext(self, a: Lanes, kind: LaneType) -> Lanes:
        """Sign extension."""
        return self.fold(kind, lambda x: _signed(x, a.kind), a) or self._convert("sext", a, kind)

    def trunc(self, a: Lanes, kind: LaneType) -> Lanes:
        """Low bits."""
        return self.fold(kind, lambda x: x, a) or self._convert("trunc", a, kind)

    def _convert(self, name: str, a: Lanes, kind: LaneType) -> Lanes:
        if a.kind is kind:
            return a
        return self.emit(kind, f"{name} {self.typed(a)} to {self.type_of(kind)}")


def _signed(lanes: np.ndarray, kind: LaneType) -> np.ndarray:
    spare = np.uint64(64 - kind.bits)
    return (lanes << spare).astype(np.int64) >> spare.astype(np.int64)


def _compare_constants(predicate: str, a: Lanes, b: Lanes) -> np.ndarray:
    x, y = a.constant, b.constant
    assert x is not None
    assert y is not None
    if predicate[0] == "s":
        x, y = _signed(x, a.kind), _signed(y, b.kind)
    function = {
        "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    }[predicate[-2:]]  # fmt: skip
    return np.asarray(function(x, y)).astype(np.uint64)
