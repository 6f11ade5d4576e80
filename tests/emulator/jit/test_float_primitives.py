"""Floating-point primitives of the LLVM builder against NumPy and exact fractions, bit for bit."""

import math
from fractions import Fraction

import numpy as np
import pytest

from emulator.jit.conftest import DTYPES, Array, Evaluate
from warpwright.emulator.ops.builder import LaneType

F32, F64, I16 = LaneType.F32, LaneType.F64, LaneType.I16
kinds = pytest.mark.parametrize("kind", [F32, F64], ids=["f32", "f64"])
CANONICAL = {F32: 0x7FFFFFFF, F64: 0x7FFFFFFFFFFFFFFF}


def values(kind: LaneType, seed: int) -> Array:
    """Random bit patterns: all exponents, subnormals, infinities, and NaNs of several kinds."""
    random = np.random.default_rng(seed)
    unsigned = np.uint32 if kind is F32 else np.uint64
    lanes = random.integers(0, 1 << kind.bits, 32, dtype=np.uint64).astype(unsigned).view(DTYPES[kind])
    edges = [0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 0.5, -2.5, 1.5, 1e-40 if kind is F32 else 1e-310]
    places = random.permutation(32)[: len(edges)]
    lanes[places] = edges
    return lanes


def bits(lanes: Array, kind: LaneType) -> list[int]:
    """Bit patterns with canonical NaN."""
    patterns = lanes.astype(DTYPES[kind]).view(f"uint{kind.bits}").copy()
    patterns[np.isnan(lanes)] = CANONICAL[kind]
    return [int(p) for p in patterns]


def raw(lanes: Array, kind: LaneType) -> list[int]:
    return [int(p) for p in lanes.view(f"uint{kind.bits}")]


@kinds
@pytest.mark.parametrize("name", ["fadd", "fsub", "fmul", "fdiv"])
def test_arithmetic(evaluate: Evaluate, name: str, kind: LaneType) -> None:
    x, y = values(kind, 1), values(kind, 2)
    (actual,) = evaluate(lambda b, p, q: getattr(b, name)(p, q), (kind, x), (kind, y))
    function = {"fadd": np.add, "fsub": np.subtract, "fmul": np.multiply, "fdiv": np.divide}[name]
    with np.errstate(all="ignore"):
        assert raw(actual, kind) == bits(function(x, y), kind)


@kinds
@pytest.mark.parametrize("name", ["sqrt", "round_even", "floor", "ceil", "truncate"])
def test_unary(evaluate: Evaluate, name: str, kind: LaneType) -> None:
    x = values(kind, 3)
    (actual,) = evaluate(lambda b, p: getattr(b, name)(p), (kind, x))
    function = {"sqrt": np.sqrt, "round_even": np.rint, "floor": np.floor, "ceil": np.ceil, "truncate": np.trunc}[name]
    with np.errstate(all="ignore"):
        assert raw(actual, kind) == bits(function(x), kind)


@kinds
def test_fma_rounds_once(evaluate: Evaluate, kind: LaneType) -> None:
    random = np.random.default_rng(4)
    x, y, z = (random.normal(size=32).astype(DTYPES[kind]) for _ in range(3))
    z[:16] = (-x * y)[:16]  # cancellation: two roundings would give 0
    (actual,) = evaluate(lambda b, p, q, r: b.fma(p, q, r), (kind, x), (kind, y), (kind, z))
    exact = [Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r)) for p, q, r in zip(x, y, z, strict=True)]
    for value, truth in zip(actual, exact, strict=True):
        neighbours = [np.nextafter(value, value.dtype.type(side)) for side in (-np.inf, np.inf)]
        error = abs(Fraction(float(value)) - truth)
        assert all(error <= abs(Fraction(float(other)) - truth) for other in neighbours)


@kinds
@pytest.mark.parametrize("predicate", ["eq", "ne", "lt", "le", "gt", "ge", "uno"])
def test_compare(evaluate: Evaluate, predicate: str, kind: LaneType) -> None:
    x, y = values(kind, 5), values(kind, 6)
    y[:6] = x[:6]
    (actual,) = evaluate(lambda b, p, q: b.compare(predicate, p, q), (kind, x), (kind, y))
    unordered = np.isnan(x) | np.isnan(y)
    ordered = {
        "eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
    }  # fmt: skip
    expected = unordered if predicate == "uno" else ordered[predicate] & ~unordered
    assert actual.tolist() == expected.astype(int).tolist()


def test_a_nan_that_was_not_computed_keeps_its_bits(evaluate: Evaluate) -> None:
    x = np.full(32, 0xFFC01234, np.uint32).view(np.float32)
    condition = np.arange(32) % 2 == 0

    def definition(b, p, c):  # type: ignore[no-untyped-def]
        return b.bitcast(b.select(c, b.fadd(p, p), p), LaneType.I32)

    (actual,) = evaluate(definition, (F32, x), (LaneType.I1, condition))
    assert actual.tolist() == [0x7FFFFFFF, 0xFFC01234] * 16


def test_width_changes(evaluate: Evaluate) -> None:
    x, y = values(F32, 7), values(F64, 8)
    wide, narrow = evaluate(lambda b, p, q: (b.widen(p), b.narrow(q)), (F32, x), (F64, y))
    with np.errstate(all="ignore"):
        assert raw(wide, F64) == bits(x.astype(np.float64), F64)
        assert raw(narrow, F32) == bits(y.astype(np.float32), F32)


@kinds
@pytest.mark.parametrize("target", [LaneType.I32, LaneType.I64], ids=["i32", "i64"])
def test_float_to_integer(evaluate: Evaluate, kind: LaneType, target: LaneType) -> None:
    x = (np.random.default_rng(9).uniform(0, 2.0**30, 32)).astype(DTYPES[kind])
    signed, unsigned = evaluate(
        lambda b, p, q: (b.float_to_signed(p, target), b.float_to_unsigned(q, target)), (kind, -x), (kind, x)
    )
    assert signed.view(f"int{target.bits}").tolist() == [-int(v) for v in x]
    assert unsigned.tolist() == [int(v) for v in x]


@kinds
@pytest.mark.parametrize("source", [LaneType.I32, LaneType.I64], ids=["i32", "i64"])
def test_integer_to_float(evaluate: Evaluate, kind: LaneType, source: LaneType) -> None:
    x = np.random.default_rng(10).integers(0, 1 << source.bits, 32, dtype=np.uint64).astype(DTYPES[source])
    signed, unsigned = evaluate(lambda b, p: (b.signed_to_float(p, kind), b.unsigned_to_float(p, kind)), (source, x))
    assert signed.tolist() == x.view(f"int{source.bits}").astype(DTYPES[kind]).tolist()
    assert unsigned.tolist() == x.astype(DTYPES[kind]).tolist()


@pytest.mark.parametrize("has_f16c", [True, False], ids=["hardware", "software"])
def test_every_half_widens(evaluate: Evaluate, has_f16c: bool) -> None:
    everything = np.arange(1 << 16, dtype=np.uint16)
    steps = [everything[start : start + 32] for start in range(0, 1 << 16, 32 * 61)]
    steps += [everything[start : start + 32] for start in (0, 0x3E0, 0x400, 0x7BE0, 0x7C00, 0xFC00, 0x8000)]
    for x in steps:
        (actual,) = evaluate(lambda b, p: b.half_to_float(p), (I16, x), has_f16c=has_f16c)
        assert raw(actual, F32) == bits(x.view(np.float16).astype(np.float32), F32)


@pytest.mark.parametrize("has_f16c", [True, False], ids=["hardware", "software"])
def test_floats_narrow_to_halves(evaluate: Evaluate, has_f16c: bool) -> None:
    random = np.random.default_rng(11)
    ties = (np.arange(32) * 2 + 1) / 2.0**25  # halfway between subnormal halves
    edges = np.array(
        [65504, 65519.99, 65520, 65536, 1e30, np.inf, -np.inf, np.nan, 6.0e-5, 6.1e-5, 0, -0.0, 2**-25] * 3
    )
    for x in (random.normal(0, 100, 32), random.normal(0, 1e-6, 32), ties, edges[:32], values(F32, 12)):
        lanes = x.astype(np.float32)
        (actual,) = evaluate(lambda b, p: b.float_to_half(p), (F32, lanes), has_f16c=has_f16c)
        with np.errstate(over="ignore"):
            expected = lanes.astype(np.float16).view(np.uint16)
        assert actual.tolist() == np.where(np.isnan(lanes), 0x7FFF, expected).tolist()
