"""Half and bfloat16 of CUDA's headers, interpreted, against one rounding of the exact result."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from emulator.interp.cuda import run
from emulator.ops import exact

X = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.25, 3.0, 10.0, -7.5, 100.0, 0.001, -0.002, 42.0, 1000.0, -999.0,
     2.0**-10, 2.0**-13, 65504.0, -65504.0, 0.33325195, 1.0009765625, 12.3, 8.7, 5.1,
     4.5, 3.5, 2.5, -0.5, -1.5, 6.6, 20.9]  # fmt: skip
Y = [1.0, 2.0, -3.0, 0.25, 7.0, -0.125, 5.0, 1.5, -10.0, 3.0, 0.001, 100.0, 9.0, -4.0, 0.5, 2.0,
     2.0**-11, 2.0, 2.0, -3.0, 3.1, 1.0009765625,
     0.7, 11.3, -2.9, 6.1, 8.3, 1.7, 1.1, 1.9, 17.7, 0.3]  # fmt: skip
KINDS = {"f16": ("__half", "cuda_fp16.h"), "bf16": ("__nv_bfloat16", "cuda_bf16.h")}
Reference = Callable[..., float]


def on_fractions(function: Callable[..., Fraction]) -> Reference:
    return lambda kind, *values: exact.rounded(function(*map(Fraction, values)), kind)


def by_double(function: Callable[[float], float]) -> Reference:
    return lambda kind, x, y: exact.rounded(Fraction(function(x)), kind)


EXACT: dict[str, Reference] = {
    "__hadd(x, y)": on_fractions(lambda x, y: x + y),
    "__hsub(x, y)": on_fractions(lambda x, y: x - y),
    "__hmul(x, y)": on_fractions(lambda x, y: x * y),
    "__hfma(x, y, x)": on_fractions(lambda x, y: x * y + x),
    "x * y + y": lambda kind, x, y: exact.add(exact.rounded(Fraction(x) * Fraction(y), kind), y, kind, "rn"),
    "__hadd_sat(x, y)": lambda kind, x, y: min(max(exact.rounded(Fraction(x) + Fraction(y), kind), 0.0), 1.0),
    "__hfma_relu(x, y, x)": lambda kind, x, y: max(exact.rounded(Fraction(x) * Fraction(y) + Fraction(x), kind), 0.0),
    "__hmax(x, y)": lambda kind, x, y: max(x, y),
    "__hmin(x, y)": lambda kind, x, y: min(x, y),
    "__habs(x)": lambda kind, x, y: abs(x),
    "__hneg(x)": lambda kind, x, y: -x,
    "hceil(x)": by_double(math.ceil),
    "hfloor(x)": by_double(math.floor),
    "htrunc(x)": by_double(math.trunc),
    "hrint(x)": by_double(lambda x: float(np.rint(x))),
}
CLOSE: dict[str, Callable[[float, float], float]] = {
    "__hdiv(x, y)": lambda x, y: x / y,
    "hexp(__hmin(x, ({type})8.0f))": lambda x, y: math.exp(min(x, 8.0)),
    "hsqrt(__habs(x))": lambda x, y: math.sqrt(abs(x)),
    "hsin(__hmin(__hmax(x, ({type})-3.0f), ({type})3.0f))": lambda x, y: math.sin(min(max(x, -3.0), 3.0)),
    "hlog2(__hmax(x, ({type})0.25f))": lambda x, y: math.log2(max(x, 0.25)),
    "htanh(x)": lambda x, y: math.tanh(x),
    "hrcp(y)": lambda x, y: 1 / y,
}


def inputs(kind: str) -> tuple[list[float], list[float]]:
    x, y = ([exact.rounded(Fraction(v), kind) for v in values] for values in (X, Y))
    return [math.copysign(r, v) for r, v in zip(x, X, strict=True)], y


def evaluated(kind: str, expressions: list[str]) -> list[list[float]]:
    """Values of expressions of x and y over the lanes."""
    name, header = KINDS[kind]
    lines = [f"o[{n} * 32 + i] = {text};" for n, text in enumerate(expressions)]
    source = f"""#include <{header}>
extern "C" __global__ void k({name}* o, const {name}* a, const {name}* c, int) {{
  int i = threadIdx.x; {name} x = a[i], y = c[i];
  {" ".join(lines)}
}}""".replace("{type}", name)
    x, y = (np.array([exact.encode(v, kind) for v in values], np.uint16) for values in inputs(kind))
    rows = run(source, np.uint16, len(expressions), x, y)
    return [[exact.decode(int(pattern), kind) for pattern in row] for row in rows]


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def rows(kind: str) -> dict[str, list[float]]:
    names = [*EXACT, *CLOSE]
    return dict(zip(names, evaluated(kind, names), strict=True))


@pytest.mark.parametrize("expression", EXACT)
def test_exact_function(kind: str, rows: dict[str, list[float]], expression: str) -> None:
    assert rows[expression] == [EXACT[expression](kind, x, y) for x, y in zip(*inputs(kind), strict=True)]


@pytest.mark.parametrize("expression", CLOSE)
def test_function_within_an_ulp_or_two(kind: str, rows: dict[str, list[float]], expression: str) -> None:
    bits = exact.FORMATS[kind][0]
    for got, x, y in zip(rows[expression], *inputs(kind), strict=True):
        expected = CLOSE[expression](x, y)
        nearest = exact.rounded(Fraction(expected), kind)
        assert got == pytest.approx(nearest, rel=2.0 ** (2 - bits), abs=2.0**-24), f"{expression} of {x}, {y}"


def test_pairs_and_conversions() -> None:
    source = """#include <cuda_fp16.h>
extern "C" __global__ void k(unsigned* o, const __half2* a, const __half2* c, int) {
  int i = threadIdx.x; __half2 x = a[i], y = c[i];
  __half2 r = __hfma2(x, y, __floats2half2_rn(1.0f, -2.0f));
  o[i] = *(unsigned*)&r;
  __half2 swapped = __lowhigh2highlow(x);
  o[32 + i] = *(unsigned*)&swapped;
  __half2 larger = __hgt2(x, y);
  o[64 + i] = *(unsigned*)&larger;
  o[96 + i] = __half2int_rn(__low2half(x)) + 1000 * __half2int_rd(__high2half(x));
  o[128 + i] = __float_as_uint(__low2float(x) * __high2float(y));
}"""
    random = np.random.default_rng(5)
    x, y = (random.normal(0, 20, (32, 2)).astype(np.float16) for _ in range(2))
    result = run(source, np.uint32, 5, x, y)
    one = np.array([1, -2], np.float64)
    fused = (x.astype(np.float64) * y + one).astype(np.float16)  # exact in float64, so rounded once
    assert result[0].tolist() == fused.view(np.uint32).ravel().tolist()
    assert result[1].tolist() == np.ascontiguousarray(x[:, ::-1]).view(np.uint32).ravel().tolist()
    assert result[2].tolist() == (x > y).astype(np.float16).view(np.uint32).ravel().tolist()
    whole = np.rint(x[:, 0]).astype(np.int64) + 1000 * np.floor(x[:, 1]).astype(np.int64)
    assert result[3].view(np.int32).tolist() == whole.tolist()
    assert result[4].view(np.float32).tolist() == (x[:, 0].astype(np.float32) * y[:, 1].astype(np.float32)).tolist()
