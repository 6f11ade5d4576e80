"""Half arithmetic against exact fractions, rounded once."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from emulator.ops.rows import evaluate, half_bits, half_values

HALVES = st.floats(width=16, allow_nan=False, allow_infinity=False)


def nearest_half(exact: Fraction) -> float:
    """The binary16 nearest to an exact value, ties to even, by trying the neighbours."""
    guess = np.float16(float(exact)) if abs(exact) < 10**6 else np.float16(math.copysign(math.inf, exact))
    if not np.isfinite(guess):
        return float(guess) if abs(exact) >= 65520 else math.copysign(65504.0, exact)
    near = [np.nextafter(guess, np.float16(-65504)), guess, np.nextafter(guess, np.float16(65504))]
    best = min(near, key=lambda h: (abs(Fraction(float(h)) - exact), int(np.array(h).view(np.uint16)) & 1))
    return float(best)


@given(HALVES, HALVES)
def test_sum_difference_product(x: float, y: float) -> None:
    a, b = half_bits([x, y])
    for base, exact in (
        ("add", Fraction(x) + Fraction(y)),
        ("sub", Fraction(x) - Fraction(y)),
        ("mul", Fraction(x) * Fraction(y)),
    ):
        assume(abs(exact) < 65504)
        got = float(half_values(evaluate(f"{base}.f16", [a], [b]))[0])
        assert got == nearest_half(exact)


@given(HALVES, HALVES, HALVES)
def test_fma_rounds_once(x: float, y: float, z: float) -> None:
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    assume(abs(exact) < 65504)
    got = float(half_values(evaluate("fma.rn.f16", *([p] for p in half_bits([x, y, z]))))[0])
    assert got == nearest_half(exact)


def test_fma_where_rounding_twice_goes_wrong() -> None:
    # 1025 * 1025 = 1050625 lies just above a tie of binary16 once scaled; a tiny term decides
    x, z = 1025.0 / 1024, 2.0**-24
    exact = Fraction(x) * Fraction(x) + Fraction(z)
    got = float(half_values(evaluate("fma.rn.f16", *([p] for p in half_bits([x, x, z]))))[0])
    assert got == nearest_half(exact)


def test_pairs_are_two_halves() -> None:
    (a, b), (c, d) = half_bits([1.5, -2.0]), half_bits([0.25, 8.0])
    packed = int(evaluate("add.f16x2", [b << 16 | a], [d << 16 | c])[0])
    assert list(half_values([packed & 0xFFFF, packed >> 16])) == [1.75, 6.0]


def test_saturation_relu_and_nan() -> None:
    one, minus, nan = 0x3C00, 0xBC00, 0x7E00
    assert int(evaluate("add.sat.f16", [one], [one])[0]) == one
    assert int(evaluate("fma.rn.relu.f16", [one], [minus], [0])[0]) == 0
    assert int(evaluate("mul.f16", [nan], [one])[0]) == 0x7FFF


@pytest.mark.parametrize("base", ["neg", "abs"])
def test_signs(base: str) -> None:
    patterns = half_bits([1.5, -1.5, 0.0, -0.0])
    truth = np.negative if base == "neg" else np.abs
    want = truth(half_values(patterns)).astype(np.float16).view(np.uint16)
    assert [int(v) for v in evaluate(f"{base}.f16", patterns)] == [int(v) for v in want]


def test_minimum_and_maximum_follow_ptx() -> None:
    zero, minus_zero, nan, two = 0x0000, 0x8000, 0x7E00, 0x4000
    assert int(evaluate("min.f16", [zero], [minus_zero])[0]) == minus_zero
    assert int(evaluate("max.f16", [minus_zero], [zero])[0]) == zero
    assert int(evaluate("max.f16", [nan], [two])[0]) == two
    assert int(evaluate("max.NaN.f16", [nan], [two])[0]) == 0x7FFF


@given(st.floats(-(2.0**100), 2.0**100, width=32), st.floats(-(2.0**100), 2.0**100, width=32))
def test_bfloat_sum_is_that_of_the_exact_sum(x: float, y: float) -> None:
    values = np.array([x, y], np.float32).astype(ml_dtypes.bfloat16)
    a, b = (int(v) for v in values.view(np.uint16))
    wide = values.astype(np.float64)
    want = int(np.array([np.float32(wide[0]) + np.float32(wide[1])]).astype(ml_dtypes.bfloat16).view(np.uint16)[0])
    assert int(evaluate("add.bf16", [a], [b])[0]) == want
