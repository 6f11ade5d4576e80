"""Conversions against Python integers, exact fractions and ml_dtypes."""

import math
from collections.abc import Callable
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.ops.rows import evaluate, half_bits, half_values

LIMITS = {"s8": (-128, 127), "u8": (0, 255), "s16": (-(2**15), 2**15 - 1), "u16": (0, 2**16 - 1)}
LIMITS |= {"s32": (-(2**31), 2**31 - 1), "u32": (0, 2**32 - 1), "s64": (-(2**63), 2**63 - 1), "u64": (0, 2**64 - 1)}
BITS = {name: int(name[1:]) for name in LIMITS}
EDGES = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -1.5,
    126.6,
    127.5,
    255.5,
    -128.6,
    2**31,
    -(2.0**31),
    2.0**32,
    2.0**63,
    2.0**64,
    -3e30,
    3e30,
]
ROUND: dict[str, Callable[[float], int]] = {
    "rni": lambda x: round(Fraction(x)),
    "rzi": math.trunc,
    "rmi": math.floor,
    "rpi": math.ceil,
}


def signed(value: int, name: str) -> int:
    """A result pattern as the number that its type means."""
    bits = BITS[name]
    value &= (1 << bits) - 1
    return value - (1 << bits) if name[0] == "s" and value >> (bits - 1) else value


@pytest.mark.parametrize("source", LIMITS)
@pytest.mark.parametrize("target", LIMITS)
def test_integers_wrap_or_saturate(source: str, target: str) -> None:
    low, high = LIMITS[source]
    values = [low, low + 1, -1, 0, 1, 77, high - 1, high]
    numbers = [signed(v, source) for v in values]
    plain = [signed(int(v), target) for v in evaluate(f"cvt.{target}.{source}", values)]
    assert plain == [signed(n, target) for n in numbers]
    bottom, top = LIMITS[target]
    clamped = [signed(int(v), target) for v in evaluate(f"cvt.sat.{target}.{source}", values)]
    assert clamped == [min(max(n, bottom), top) for n in numbers]


@pytest.mark.parametrize("target", LIMITS)
@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("mode", ROUND)
def test_floats_round_and_clamp_to_integers(source: str, target: str, mode: str) -> None:
    values = [float(np.float32(x)) for x in EDGES]
    low, high = LIMITS[target]
    got = [signed(int(v), target) for v in evaluate(f"cvt.{mode}.{target}.{source}", values)]
    assert got == [min(max(ROUND[mode](x), low), high) for x in values]


@pytest.mark.parametrize(
    ("form", "pattern"),
    [("cvt.rzi.s32.f32", 0), ("cvt.rzi.u8.f32", 0), ("cvt.rzi.s64.f32", 1 << 63), ("cvt.rzi.s32.f64", 1 << 31)],
)
def test_nan_becomes_what_the_isa_says(form: str, pattern: int) -> None:
    assert int(evaluate(form, [math.nan])[0]) == pattern


def test_infinities_clamp() -> None:
    assert [signed(int(v), "s32") for v in evaluate("cvt.rzi.s32.f32", [math.inf, -math.inf])] == list(LIMITS["s32"])[
        ::-1
    ]


@given(st.integers(-(2**63), 2**63 - 1))
def test_int64_to_floats_is_correctly_rounded(value: int) -> None:
    assert evaluate("cvt.rn.f64.s64", [value])[0] == float(value)
    single = evaluate("cvt.rn.f32.s64", [value])[0]
    neighbours = [np.nextafter(single, np.float32(-np.inf)), single, np.nextafter(single, np.float32(np.inf))]
    distances = [abs(Fraction(float(n)) - value) for n in neighbours]
    assert distances[1] == min(distances)


@given(st.integers(-(2**31), 2**31 - 1))
def test_directed_rounding_of_int32_brackets_it(value: int) -> None:
    down, up = (float(evaluate(f"cvt.{mode}.f32.s32", [value])[0]) for mode in ("rm", "rp"))
    zero = float(evaluate("cvt.rz.f32.s32", [value])[0])
    assert down <= value <= up
    assert up == down or np.nextafter(np.float32(down), np.float32(np.inf)) == np.float32(up)
    assert zero == (down if value >= 0 else up)


@given(st.floats(width=64, allow_nan=False))
def test_f64_to_f32_in_every_direction(value: float) -> None:
    near, down, up = (evaluate(f"cvt.{mode}.f32.f64", [value])[0] for mode in ("rn", "rm", "rp"))
    with np.errstate(over="ignore"):
        assert near == np.float32(value)
        assert down == up or np.nextafter(down, np.float32(np.inf)) == up
    assert float(down) <= value <= float(up)


@given(st.floats(width=64))
def test_f64_to_f16_rounds_once(value: float) -> None:
    with np.errstate(over="ignore"):
        want = np.array([value], np.float64).astype(np.float16).view(np.uint16)[0]
    got = int(evaluate("cvt.rn.f16.f64", [value])[0])
    assert got == (0x7FFF if math.isnan(value) else int(want))


@given(st.floats(width=32))
def test_f32_to_bf16_is_that_of_ml_dtypes(value: float) -> None:
    want = int(np.array([value], np.float32).astype(ml_dtypes.bfloat16).view(np.uint16)[0])
    assert int(evaluate("cvt.rn.bf16.f32", [value])[0]) == (0x7FFF if math.isnan(value) else want)


@given(st.floats(-70000, 70000, width=32))
def test_f32_to_f16_directed(value: float) -> None:
    down, up = (half_values(evaluate(f"cvt.{mode}.f16.f32", [value]))[0] for mode in ("rm", "rp"))
    assert down <= value <= up
    nearest = half_values(evaluate("cvt.rn.f16.f32", [value]))[0]
    assert nearest in (down, up)


def test_every_half_widens_exactly() -> None:
    patterns = np.arange(0, 1 << 16, 7, dtype=np.uint16)
    values = patterns.view(np.float16).astype(np.float32)
    for start in range(0, len(patterns), 32):
        got = evaluate("cvt.f32.f16", list(patterns[start : start + 32]))
        want = values[start : start + 32]
        assert np.array_equal(got[~np.isnan(want)], want[~np.isnan(want)])
        assert np.isnan(got[np.isnan(want)]).all()


def test_integral_floats_ties_and_signs() -> None:
    values = [0.5, 1.5, 2.5, -0.5, -2.5, 1e30, -0.0]
    assert list(evaluate("cvt.rni.f32.f32", values)) == [float(np.rint(np.float32(v))) for v in values]
    assert math.copysign(1.0, float(evaluate("cvt.rzi.f32.f32", [-0.3])[0])) == -1.0


def test_saturation_and_flushing() -> None:
    assert list(evaluate("cvt.sat.f32.f32", [-1.0, 0.25, 7.0, math.nan])) == [0.0, 0.25, 1.0, 0.0]
    assert list(evaluate("cvt.rn.ftz.f32.f64", [1e-40])) == [0.0]
    assert evaluate("cvt.rn.f32.f64", [1e-40])[0] == np.float32(1e-40)


def test_pairs_of_halves_have_the_first_operand_on_top() -> None:
    low, high = half_bits([1.5, -2.0])
    assert int(evaluate("cvt.rn.f16x2.f32", [-2.0], [1.5])[0]) == high << 16 | low
    assert int(evaluate("cvt.rn.relu.f16x2.f32", [-2.0], [1.5])[0]) == low


def test_half_to_integer() -> None:
    patterns = half_bits([2.5, -3.7, 300.0, 65504.0])
    assert [signed(int(v), "s32") for v in evaluate("cvt.rni.s32.f16", patterns)] == [2, -4, 300, 65504]
    assert [int(v) for v in evaluate("cvt.rzi.u8.f16", patterns)] == [2, 0, 255, 255]
