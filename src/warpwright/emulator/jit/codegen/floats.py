"""Floating-point primitives of the LLVM `Builder`: IEEE 754, nothing contracted, NaN canonical where bits are seen."""

from warpwright.emulator.jit.codegen.emitter import Lanes
from warpwright.emulator.jit.codegen.integers import IntegerPrimitives
from warpwright.emulator.ops.builder import LaneType


class FloatPrimitives(IntegerPrimitives):
    """Arithmetic and conversions. has_f16c: the CPU converts binary16 itself."""

    has_f16c: bool = False

    def _arithmetic(self, name: str, a: Lanes, b: Lanes) -> Lanes:
        return self.emit(a.kind, f"{name} {self.typed(a)}, {b.text}", raw_nan=True)

    def fadd(self, a: Lanes, b: Lanes) -> Lanes:
        """a + b."""
        return self._arithmetic("fadd", a, b)

    def fsub(self, a: Lanes, b: Lanes) -> Lanes:
        """a - b."""
        return self._arithmetic("fsub", a, b)

    def fmul(self, a: Lanes, b: Lanes) -> Lanes:
        """a * b."""
        return self._arithmetic("fmul", a, b)

    def fdiv(self, a: Lanes, b: Lanes) -> Lanes:
        """a / b."""
        return self._arithmetic("fdiv", a, b)

    def fma(self, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        """a * b + c, rounded once."""
        return self.intrinsic("fma", a.kind, a, b, c, raw_nan=True)

    def sqrt(self, a: Lanes) -> Lanes:
        """Square root."""
        return self.intrinsic("sqrt", a.kind, a, raw_nan=True)

    def round_even(self, a: Lanes) -> Lanes:
        """To an integral float, ties to even."""
        return self.intrinsic("roundeven", a.kind, a, raw_nan=True)

    def floor(self, a: Lanes) -> Lanes:
        """Largest integral float not above a."""
        return self.intrinsic("floor", a.kind, a, raw_nan=True)

    def ceil(self, a: Lanes) -> Lanes:
        """Least integral float not below a."""
        return self.intrinsic("ceil", a.kind, a, raw_nan=True)

    def truncate(self, a: Lanes) -> Lanes:
        """To an integral float, toward zero."""
        return self.intrinsic("trunc", a.kind, a, raw_nan=True)

    def float_to_signed(self, a: Lanes, kind: LaneType) -> Lanes:
        """Toward zero; in range."""
        return self._from_float("fptosi", a, kind)

    def float_to_unsigned(self, a: Lanes, kind: LaneType) -> Lanes:
        """Toward zero; in range."""
        return self._from_float("fptoui", a, kind)

    def _from_float(self, name: str, a: Lanes, kind: LaneType) -> Lanes:
        # Lanes that are switched off may hold anything; freeze keeps an out-of-range one from poisoning the rest.
        result = self._convert(name, a, kind)
        return self.emit(kind, f"freeze {self.typed(result)}")

    def signed_to_float(self, a: Lanes, kind: LaneType) -> Lanes:
        """Nearest even."""
        return self._convert("sitofp", a, kind)

    def unsigned_to_float(self, a: Lanes, kind: LaneType) -> Lanes:
        """Nearest even."""
        return self._convert("uitofp", a, kind)

    def widen(self, a: Lanes) -> Lanes:
        """F32 to F64."""
        return self.emit(LaneType.F64, f"fpext {self.typed(a)} to {self.type_of(LaneType.F64)}", raw_nan=True)

    def narrow(self, a: Lanes) -> Lanes:
        """F64 to F32, nearest even."""
        return self.emit(LaneType.F32, f"fptrunc {self.typed(a)} to {self.type_of(LaneType.F32)}", raw_nan=True)

    def bitcast(self, a: Lanes, kind: LaneType) -> Lanes:
        """Same bits, another type of the same width."""
        if a.kind is kind:
            return a
        a = self.canonical(a)
        return self.emit(kind, f"bitcast {self.typed(a)} to {self.type_of(kind)}")

    def half_to_float(self, a: Lanes) -> Lanes:
        """I16 holding binary16, to F32."""
        if not self.has_f16c:
            return self._soft_half_to_float(a)
        half = self.emitter.assign(f"bitcast {self.typed(a)} to <{self.width} x half>")
        text = f"fpext <{self.width} x half> {half} to {self.type_of(LaneType.F32)}"
        return self.emit(LaneType.F32, text, raw_nan=True)

    def float_to_half(self, a: Lanes) -> Lanes:
        """F32 to I16 holding binary16, nearest even, overflow to infinity, NaN 0x7fff."""
        is_nan = self.compare("uno", a, a)
        if self.has_f16c:
            half = self.emitter.assign(f"fptrunc {self.typed(a)} to <{self.width} x half>")
            bits = self.emit(LaneType.I16, f"bitcast <{self.width} x half> {half} to {self.type_of(LaneType.I16)}")
        else:
            bits = self._soft_float_to_half(a)
        return self.select(is_nan, self.const(0x7FFF, LaneType.I16), bits)

    def _soft_half_to_float(self, a: Lanes) -> Lanes:
        """Exponent and mantissa moved into place, then scaled by 2**112, which is exact and normalises subnormals."""
        i32, f32 = LaneType.I32, LaneType.F32
        wide = self.zext(a, i32)
        sign = self.shl(self.and_(wide, self.const(0x8000, i32)), self.const(16, i32))
        magnitude = self.and_(wide, self.const(0x7FFF, i32))
        moved = self.bitcast(self.shl(magnitude, self.const(13, i32)), f32)
        scaled = self.bitcast(self.fmul(moved, self.const(2.0**112, f32)), i32)
        special = self.or_(self.shl(magnitude, self.const(13, i32)), self.const(0x7F800000, i32))
        is_special = self.compare("uge", magnitude, self.const(0x7C00, i32))
        bits = self.or_(self.select(is_special, special, scaled), sign)
        is_nan = self.compare("ugt", magnitude, self.const(0x7C00, i32))
        return self.bitcast(self.select(is_nan, self.const(0x7FFFFFFF, i32), bits), f32)

    def _soft_float_to_half(self, a: Lanes) -> Lanes:
        """Normal results round in the integer; subnormal ones by adding 0.5, whose unit in the last place is 2**-24."""
        i32, f32 = LaneType.I32, LaneType.F32
        bits = self.bitcast(a, i32)
        sign = self.and_(self.lshr(bits, self.const(16, i32)), self.const(0x8000, i32))
        magnitude = self.and_(bits, self.const(0x7FFFFFFF, i32))
        odd = self.and_(self.lshr(magnitude, self.const(13, i32)), self.const(1, i32))
        rebased = self.sub(magnitude, self.const((127 - 15) << 23, i32))
        rounded = self.add(self.add(rebased, self.const(0xFFF, i32)), odd)
        normal = self.lshr(rounded, self.const(13, i32))
        half = self.fadd(self.bitcast(magnitude, f32), self.const(0.5, f32))
        subnormal = self.sub(self.bitcast(half, i32), self.const(0x3F000000, i32))
        small = self.compare("ult", magnitude, self.const(113 << 23, i32))
        large = self.compare("uge", magnitude, self.const(0x47800000, i32))
        finite = self.select(small, subnormal, normal)
        result = self.select(large, self.const(0x7C00, i32), finite)
        return self.trunc(self.or_(result, sign), LaneType.I16)
