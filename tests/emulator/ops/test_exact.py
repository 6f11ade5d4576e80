"""The exact arithmetic that the table is tested against, itself against the CPU's."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emulator.ops import exact

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE)
def test_rounding_to_nearest_is_that_of_the_cpu(value: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        assert exact.rounded(Fraction(value), "f32") == float(np.float32(value))
        assert exact.rounded(Fraction(value), "f16") == float(np.float16(value))


@given(FINITE, FINITE)
def test_arithmetic_is_that_of_the_cpu(x: float, y: float) -> None:
    assert exact.add(x, y, "f64", "rn") == x + y
    assert exact.multiply(x, y, "f64", "rn") == x * y
    if y != 0:
        with np.errstate(all="ignore"):
            assert exact.divide(x, y, "f64", "rn") == float(np.float64(x) / np.float64(y))
    assert exact.root(abs(x), "f64", "rn") == math.sqrt(abs(x))


@given(FINITE, FINITE)
def test_directed_results_enclose_the_exact_one(x: float, y: float) -> None:
    down, up, cut = (exact.multiply(x, y, "f32", mode) for mode in ("rm", "rp", "rz"))
    product = Fraction(x) * Fraction(y)
    assert down == -math.inf or Fraction(down) <= product
    assert up == math.inf or product <= Fraction(up)
    assert cut == (up if product < 0 else down)
