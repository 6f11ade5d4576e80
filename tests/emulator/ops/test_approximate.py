"""Approximate functions against mpmath-free truths: math in double precision, compared in units of the last place."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.ops.rows import evaluate, half_bits, half_values


def ulps(got: float, want: float) -> float:
    """Distance in units of the last place of the nearest f32 to the wanted value."""
    single = np.float32(want)
    if not np.isfinite(single) or single == 0:
        return 0.0 if np.float32(got) == single else math.inf
    return abs(float(got) - want) / float(np.spacing(np.abs(single)))


CASES: list[tuple[str, Callable[[float], float], st.SearchStrategy[float]]] = [
    ("ex2.approx.f32", lambda x: 2.0**x, st.floats(-126, 127, width=32)),
    ("lg2.approx.f32", math.log2, st.floats(2.0**-126, 2.0**127, width=32)),
    ("rsqrt.approx.f32", lambda x: 1 / math.sqrt(x), st.floats(2.0**-126, 2.0**127, width=32)),
    ("sqrt.approx.f32", math.sqrt, st.floats(0, 2.0**127, width=32)),
    ("rcp.approx.f32", lambda x: 1 / x, st.floats(2.0**-126, 2.0**126, width=32)),
    ("tanh.approx.f32", math.tanh, st.floats(-20, 20, width=32)),
    ("sin.approx.f32", math.sin, st.floats(-1000, 1000, width=32)),
    ("cos.approx.f32", math.cos, st.floats(-1000, 1000, width=32)),
]


@pytest.mark.parametrize(("form", "truth", "domain"), CASES, ids=[form for form, *_ in CASES])
def test_within_one_ulp_of_the_exact_value(
    form: str, truth: Callable[[float], float], domain: st.SearchStrategy[float]
) -> None:
    @given(domain)
    def check(value: float) -> None:
        got = float(evaluate(form, [value])[0])
        assert ulps(got, truth(value)) <= 1.0, (value, got, truth(value))

    check()


@pytest.mark.parametrize(
    ("form", "values", "wanted"),
    [
        ("ex2.approx.f32", [math.inf, -math.inf, 200.0, -200.0, 0.0], [math.inf, 0.0, math.inf, 0.0, 1.0]),
        ("lg2.approx.f32", [0.0, -0.0, math.inf, 1.0, 8.0], [-math.inf, -math.inf, math.inf, 0.0, 3.0]),
        ("rsqrt.approx.f32", [0.0, -0.0, math.inf, 4.0], [math.inf, -math.inf, 0.0, 0.5]),
        ("rcp.approx.f32", [0.0, -0.0, math.inf, -math.inf], [math.inf, -math.inf, 0.0, -0.0]),
        ("tanh.approx.f32", [math.inf, -math.inf, 0.0, 1e-20], [1.0, -1.0, 0.0, float(np.float32(1e-20))]),
        ("sin.approx.f32", [0.0, -0.0], [0.0, -0.0]),
        ("cos.approx.f32", [0.0], [1.0]),
    ],
)
def test_special_values(form: str, values: list[float], wanted: list[float]) -> None:
    got = [float(v) for v in evaluate(form, values)]
    assert got == wanted
    assert [math.copysign(1, g) for g in got] == [math.copysign(1, w) for w in wanted]


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("ex2.approx.f32", math.nan),
        ("lg2.approx.f32", -1.0),
        ("rsqrt.approx.f32", -1.0),
        ("sqrt.approx.f32", -1.0),
        ("sin.approx.f32", math.inf),
        ("cos.approx.f32", -math.inf),
        ("tanh.approx.f32", math.nan),
    ],
)
def test_not_a_number_is_the_canonical_one(form: str, value: float) -> None:
    assert int(evaluate(form, [value]).view(np.uint32)[0]) == 0x7FFFFFFF


def test_subnormals_are_kept_or_flushed() -> None:
    assert evaluate("ex2.approx.f32", [-140.0])[0] == np.float32(2.0**-140)
    assert evaluate("ex2.approx.ftz.f32", [-140.0])[0] == 0
    assert evaluate("lg2.approx.f32", [2.0**-140])[0] == -140.0
    assert evaluate("lg2.approx.ftz.f32", [2.0**-140])[0] == -math.inf


def test_division_forms() -> None:
    assert evaluate("div.full.f32", [1.0], [3.0])[0] == np.float32(1) / np.float32(3)
    assert evaluate("div.approx.f32", [1.0, 1.0], [3.0, 2.0**127]).tolist() == [float(np.float32(1 / 3)), 0.0]
    assert np.isnan(evaluate("div.approx.f32", [math.inf], [2.0**127])[0])


@given(st.floats(-10, 10, width=16))
def test_half_functions(value: float) -> None:
    (pattern,) = half_bits([value])
    got = float(half_values(evaluate("ex2.approx.f16", [pattern]))[0])
    assert got == pytest.approx(float(np.float16(2.0**value)), rel=2e-3, abs=1e-7)
    got = float(half_values(evaluate("tanh.approx.f16", [pattern]))[0])
    assert got == pytest.approx(math.tanh(value), rel=2e-3, abs=1e-7)
