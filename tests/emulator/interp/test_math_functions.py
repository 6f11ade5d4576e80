"""CUDA's math functions, compiled by NVRTC and interpreted, against Python's `math` and textbook formulas."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from emulator.interp.cuda import LANES, evaluated

Reference = Callable[..., float]

WIDE = np.concatenate([np.linspace(-20, 20, 20), [0.0, -0.0, 1.0, -1.0, 0.5, 1e-3, 30.5, 100.0, -100.0, 3.0, 2.0, 1e5]])
POSITIVE = np.concatenate([np.geomspace(1e-5, 1e5, 28), [1.0, 2.0, 0.5, 10.0]])
UNIT = np.linspace(-0.999, 0.999, LANES)
ABOVE_ONE = np.linspace(1.0, 50, LANES)
SMALL = np.linspace(-3, 3, LANES)
SECOND = np.linspace(0.3, 3.1, LANES)
DOMAINS = {"wide": WIDE, "positive": POSITIVE, "unit": UNIT, "above_one": ABOVE_ONE, "small": SMALL}
DOMAINS["gamma"] = np.linspace(0.1, 30, LANES)


def inverse(function: Reference, low: float, high: float) -> Reference:
    """The argument at which an increasing function has a value, by bisection."""

    def solve(value: float) -> float:
        lower, upper = low, high
        for _ in range(200):
            middle = (lower + upper) / 2
            lower, upper = (middle, upper) if function(middle) < value else (lower, middle)
        return lower

    return solve


def inverse_error_function(x: float) -> float:
    """Near 1 by erfc, which keeps its relative accuracy there."""
    if abs(x) < 0.5:
        return inverse(math.erf, -6, 6)(x)
    return math.copysign(inverse(lambda y: -math.erfc(y), -6, 6)(abs(x) - 1), x)


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def half_away(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x)


def sine_of_half_turns(x: float) -> float:
    """sin(pi x) for |x| < 1 without the cancellation near the ends."""
    return math.copysign(math.sin(math.pi * min(abs(x), 1 - abs(x))), x)


def bessel(order: int) -> Reference:
    """J of an integer order by its integral (Abramowitz and Stegun 9.1.21), with the trapezoidal rule: spectral accuracy."""

    def value(x: float) -> float:
        angles = np.arange(512) * math.pi / 512
        ends = (1.0 - math.cos(order * math.pi)) / 2
        return float((np.cos(order * angles - x * np.sin(angles)).sum() - ends) / 512)

    return value


# name -> (domain, reference, largest error in units of the last place of a float; the CUDA guide's bound)
ONE: dict[str, tuple[str, Reference, int]] = {
    "sin": ("wide", math.sin, 2),
    "cos": ("wide", math.cos, 2),
    "tan": ("wide", math.tan, 4),
    "asin": ("unit", math.asin, 4),
    "acos": ("unit", math.acos, 3),
    "atan": ("wide", math.atan, 2),
    "sinh": ("small", math.sinh, 3),
    "cosh": ("small", math.cosh, 2),
    "tanh": ("small", math.tanh, 2),
    "asinh": ("wide", math.asinh, 3),
    "acosh": ("above_one", math.acosh, 4),
    "atanh": ("unit", math.atanh, 3),
    "exp": ("small", math.exp, 2),
    "exp2": ("small", math.exp2, 2),
    "exp10": ("small", lambda x: 10.0**x, 2),
    "expm1": ("small", math.expm1, 1),
    "log": ("positive", math.log, 2),
    "log2": ("positive", math.log2, 2),
    "log10": ("positive", math.log10, 2),
    "log1p": ("positive", math.log1p, 2),
    "sqrt": ("positive", math.sqrt, 0),
    "rsqrt": ("positive", lambda x: 1 / math.sqrt(x), 2),
    "cbrt": ("wide", math.cbrt, 1),
    "rcbrt": ("positive", lambda x: 1 / math.cbrt(x), 1),
    "erf": ("small", math.erf, 2),
    "erfc": ("small", math.erfc, 4),
    "erfinv": ("unit", inverse_error_function, 2),
    "erfcx": ("small", lambda x: math.exp(x * x) * math.erfc(x), 4),
    "normcdf": ("small", normal_cdf, 5),
    "tgamma": ("gamma", math.gamma, 8),
    "lgamma": ("above_one", math.lgamma, 6),
    "j0": ("small", bessel(0), 9),
    "j1": ("small", bessel(1), 9),
    "ceil": ("wide", math.ceil, 0),
    "floor": ("wide", math.floor, 0),
    "trunc": ("wide", math.trunc, 0),
    "round": ("wide", half_away, 0),
    "rint": ("wide", lambda x: float(np.rint(x)), 0),
    "nearbyint": ("wide", lambda x: float(np.rint(x)), 0),
    "fabs": ("wide", abs, 0),
    "logb": ("positive", lambda x: math.frexp(x)[1] - 1, 0),
    "sinpi": ("unit", sine_of_half_turns, 2),
    "cospi": ("unit", lambda x: sine_of_half_turns(0.5 - abs(x)), 2),
}
TWO: dict[str, tuple[str, Reference, int]] = {
    "pow": ("positive", math.pow, 4),
    "atan2": ("wide", math.atan2, 3),
    "fmod": ("wide", math.fmod, 0),
    "remainder": ("wide", math.remainder, 0),
    "fdim": ("small", lambda x, y: max(x - y, 0.0), 0),
    "fmax": ("small", max, 0),
    "fmin": ("small", min, 0),
    "hypot": ("wide", math.hypot, 3),
    "copysign": ("wide", math.copysign, 0),
}
PRECISIONS = {"float": np.float32, "double": np.float64}


def results(kind: str, table: dict[str, tuple[str, Reference, int]], domain: str) -> tuple[list[str], Any]:
    """Names of the functions over a domain, and their rows."""
    names = [name for name, (own, _, _) in table.items() if own == domain]
    suffix, arguments = ("f" if kind == "float" else ""), "(x)" if table is ONE else "(x, y)"
    dtype = PRECISIONS[kind]
    inputs = np.concatenate([DOMAINS[domain], SECOND]).astype(dtype).tobytes()
    expressions = tuple(f"{name}{suffix}{arguments}" for name in names)
    return names, evaluated(expressions, (kind, kind), (dtype, dtype), inputs)


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_function(kind: str, name: str) -> None:
    table = ONE if name in ONE else TWO
    domain, reference, ulps = table[name]
    names, rows = results(kind, table, domain)
    dtype = PRECISIONS[kind]
    x, y = DOMAINS[domain].astype(dtype).astype(float), SECOND.astype(dtype).astype(float)
    pairs = ((a,) if table is ONE else (a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True))
    exact = np.array([reference(*arguments) for arguments in pairs], np.float64)
    # The references themselves are a few ulps of a double off, the integrals and differences more near zeros.
    slack = ulps + 0.5 if kind == "float" else 8 * ulps + 0.5
    actual = rows[names.index(name)].astype(np.float64)
    spacing = np.maximum(np.spacing(np.abs(exact.astype(dtype))).astype(np.float64), 1e-16 if ulps > 3 else 0)
    finite = np.isfinite(exact.astype(dtype))
    assert np.array_equal(np.isfinite(actual), finite)
    error = np.abs(actual - exact)[finite] / spacing[finite]
    worst = int(error.argmax())
    assert error[worst] <= slack, (
        f"{name}({x[finite][worst]!r}) = {actual[finite][worst]!r}, not {exact[finite][worst]!r}"
    )


FAST: dict[str, tuple[str, Reference, float]] = {
    "__sinf(x)": ("small", math.sin, 2**-20),
    "__cosf(x)": ("small", math.cos, 2**-20),
    "__tanf(x)": ("small", math.tan, 1e-3),
    "__expf(x)": ("small", math.exp, 1e-5),
    "__exp10f(x)": ("small", lambda x: 10.0**x, 1e-3),
    "__logf(x)": ("positive", math.log, 1e-5),
    "__log2f(x)": ("positive", math.log2, 1e-5),
    "__log10f(x)": ("positive", math.log10, 1e-5),
    "__saturatef(x)": ("small", lambda x: min(max(x, 0.0), 1.0), 0.0),
}


@pytest.mark.parametrize("expression", FAST)
def test_fast_function(expression: str) -> None:
    domain, reference, tolerance = FAST[expression]
    names = tuple(text for text, (own, _, _) in FAST.items() if own == domain)
    x = DOMAINS[domain].astype(np.float32)
    rows = evaluated(names, ("float", "float"), (np.float32, np.float32), np.concatenate([x, x]).tobytes())
    exact = [reference(float(value)) for value in x]
    assert rows[names.index(expression)].tolist() == pytest.approx(exact, abs=tolerance, rel=1e-6)


def test_large_angles_take_the_slow_path() -> None:
    x = np.geomspace(1e5, 3e38, LANES).astype(np.float32)
    rows = evaluated(("sinf(x)", "cosf(x)"), ("float", "float"), (np.float32, np.float32), np.tile(x, 2).tobytes())
    assert rows[0].tolist() == pytest.approx([math.sin(float(v)) for v in x], abs=2e-7)
    assert rows[1].tolist() == pytest.approx([math.cos(float(v)) for v in x], abs=2e-7)


def test_large_angles_of_doubles_take_the_slow_path() -> None:
    x = np.geomspace(1e5, 1e300, LANES)
    rows = evaluated(("sin(x)", "tan(x)"), ("double", "double"), (np.float64, np.float64), np.tile(x, 2).tobytes())
    assert rows[0].tolist() == pytest.approx([math.sin(v) for v in x.tolist()], abs=4e-16, rel=1e-13)
    assert rows[1].tolist() == pytest.approx([math.tan(v) for v in x.tolist()], rel=1e-12)


def test_special_values() -> None:
    names = ("expf(x)", "logf(x)", "sqrtf(x)", "sinf(x)", "powf(x, 0.0f)", "1.0f / x", "fminf(x, 1.0f)", "tanhf(x)")
    x = np.resize(np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32), LANES)
    rows = evaluated(names, ("float", "float"), (np.float32, np.float32), np.tile(x, 2).tobytes())
    nan, inf = math.nan, math.inf
    expected = [
        [inf, 0.0, nan, 1.0, 1.0],
        [inf, nan, nan, -inf, -inf],
        [inf, nan, nan, 0.0, -0.0],
        [nan, nan, nan, 0.0, -0.0],
        [1.0, 1.0, 1.0, 1.0, 1.0],
        [0.0, -0.0, nan, inf, -inf],
        [1.0, -inf, 1.0, 0.0, -0.0],
        [1.0, -1.0, nan, 0.0, -0.0],
    ]
    assert [[str(v) for v in row[:5].tolist()] for row in rows] == [[str(v) for v in row] for row in expected]
