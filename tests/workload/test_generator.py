"""Generated values: known answers of Philox, the golden file that C++ reads too, and properties of every recipe."""

import json
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpwright.workload.dtypes import element_type
from warpwright.workload.generator import RecipeError, generate
from warpwright.workload.recipe import Recipe

GOLDEN = Path(__file__).parents[1] / "golden" / "generated_values.json"
_MASK = (1 << 64) - 1
_KEYS = st.integers(0, (1 << 128) - 1)


def philox(counter: int, key: int) -> list[int]:
    """Philox4x64-10 in plain integers, after the paper."""
    x = [(counter >> 64 * i) & _MASK for i in range(4)]
    k0, k1 = key & _MASK, key >> 64
    for _ in range(10):
        a, b = 0xD2E7470EE14C6C93 * x[0], 0xCA5A826395121157 * x[2]
        x = [(b >> 64) ^ x[1] ^ k0, b & _MASK, (a >> 64) ^ x[3] ^ k1, a & _MASK]
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) & _MASK, (k1 + 0xBB67AE8584CAA73B) & _MASK
    return x


def word(key: int, index: int) -> int:
    """Word `index` of a stream, by the convention of docs/harness.md."""
    return philox(index // 4 + 1, key)[index % 4]


def rounded(value: Fraction | float, precision: type) -> Fraction:
    """A value rounded once to float32 or float64, as an exact number."""
    nearest = float(value)  # exact or correctly rounded to 53 bits
    if precision is np.float32:
        exact = Fraction(value)
        guess = np.float32(nearest)
        near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
        even = {float(n): int(n.view(np.uint32)) & 1 for n in near}
        nearest = min((float(n) for n in near), key=lambda n: (abs(Fraction(n) - exact), even[n]))
    return Fraction(nearest)


def by_definition(recipe: Recipe, key: int, index: int) -> Fraction:
    """A `normal` or `uniform` value before it is narrowed, in exact arithmetic with one rounding per operation."""
    precision = np.float64 if recipe.dtype == "float64" else np.float32
    first = rounded(recipe.first, precision)
    if recipe.kind == "normal":
        parts = struct.unpack("<8H", struct.pack("<2Q", word(key, 2 * index), word(key, 2 * index + 1)))
        factor = rounded(recipe.second / (2 * (8 * (2**32 - 1) / 12) ** 0.5), precision)
        drawn = Fraction(2 * sum(parts) - 524280)
    else:
        bits = 53 if precision is np.float64 else 24
        factor = rounded(float(recipe.second) - float(recipe.first), precision)
        drawn = Fraction(word(key, index) >> (64 - bits), 1 << bits)
    return rounded(rounded(drawn * factor, precision) + first, precision)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        (0, 0, "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b"),
        ((1 << 256) - 1, (1 << 128) - 1, "87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0"),
    ],
)
def test_known_answers_of_philox(counter: int, key: int, answer: str) -> None:
    assert " ".join(f"{x:016x}" for x in philox(counter, key)) == answer
    numpys = np.random.Philox(key=key, counter=(counter - 1) % (1 << 256)).random_raw(4)  # counts up before it draws
    assert [int(x) for x in numpys] == philox(counter, key)


def test_golden_file_is_what_python_makes() -> None:
    rows = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert {row["kind"] for row in rows} == {"normal", "uniform", "integers", "ones"}
    for row in rows:
        convert = int if row["kind"] == "integers" else float
        recipe = Recipe(row["kind"], row["dtype"], convert(row["first"]), convert(row["second"]))
        assert generate(recipe, int(row["key"], 16), row["count"]).tobytes().hex() == row["bytes"], row


@settings(max_examples=60)
@given(
    key=_KEYS,
    kind=st.sampled_from(["normal", "uniform"]),
    dtype=st.sampled_from(["float32", "float64"]),
    first=st.floats(-1e6, 1e6, width=32),
    second=st.floats(1e-6, 1e6),
)
def test_floats_follow_the_definition(key: int, kind: str, dtype: str, first: float, second: float) -> None:
    recipe = Recipe(kind, dtype, first, second if kind == "normal" else first + second)
    values = generate(recipe, key, 5)
    assert [Fraction(float(v)) for v in values] == [by_definition(recipe, key, i) for i in range(5)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_narrow_floats_are_float32_rounded_once(dtype: str, kind: str) -> None:
    wide, narrow = (generate(Recipe(kind, d, -3.0, 1.7), 11, 999) for d in ("float32", dtype))
    assert narrow.tobytes() == wide.astype(element_type(dtype).numpy).tobytes()


@settings(max_examples=60)
@given(data=st.data(), key=_KEYS, dtype=st.sampled_from(["int8", "uint16", "int64", "uint64", "bool"]))
def test_integers_follow_the_definition(data: st.DataObject, key: int, dtype: str) -> None:
    limits = {"bool": (0, 1)}.get(dtype) or (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    first, last = sorted(data.draw(st.tuples(st.integers(*limits), st.integers(*limits))))
    values = generate(Recipe("integers", dtype, first, last), key, 6)
    assert values.dtype == np.dtype(dtype)
    assert [int(v) for v in values] == [first + word(key, i) % (last - first + 1) for i in range(6)]


def test_whole_range_of_64_bits_is_the_word_itself() -> None:
    values = generate(Recipe("integers", "uint64", 0, _MASK), 5, 5)
    assert [int(v) for v in values] == [word(5, i) for i in range(5)]


@settings(max_examples=40)
@given(
    key=_KEYS,
    recipe=st.sampled_from(
        [
            Recipe("normal", "float32", 0.0, 1.0),
            Recipe("uniform", "bfloat16", -1.0, 1.0),
            Recipe("integers", "int32", 0, 9),
        ]
    ),
    short=st.integers(0, 70_000),
    more=st.integers(0, 70_000),
)
def test_first_values_do_not_depend_on_the_count(key: int, recipe: Recipe, short: int, more: int) -> None:
    assert generate(recipe, key, short + more)[:short].tobytes() == generate(recipe, key, short).tobytes()


def test_mean_deviation_and_range() -> None:
    count = 1 << 20
    normal = generate(Recipe("normal", "float64", 3.0, 2.0), 1, count)
    assert abs(normal.mean() - 3.0) < 5 * 2 / count**0.5
    assert abs(normal.std() - 2.0) < 5 * 2 / (2 * count) ** 0.5
    assert np.abs(normal - 3.0).max() <= 2 * 4.9
    uniform = generate(Recipe("uniform", "float32", -2.0, 6.0), 1, count)
    assert uniform.min() >= -2.0
    assert uniform.max() <= 6.0
    assert abs(float(uniform.mean(dtype=np.float64)) - 2.0) < 5 * 8 / (12 * count) ** 0.5
    drawn = np.bincount(generate(Recipe("integers", "int32", 0, 9), 1, count), minlength=10)
    assert np.abs(drawn / count - 0.1).max() < 5 * (0.09 / count) ** 0.5


def test_keys_differ_in_every_bit_they_have() -> None:
    recipe = Recipe("integers", "uint64", 0, _MASK)
    assert len({generate(recipe, 1 << bit, 4).tobytes() for bit in range(128)}) == 128


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        (Recipe("cauchy", "float32"), "allowed: normal, uniform, integers, ones"),
        (Recipe("normal", "int32", 0, 1), "allowed: floating-point dtypes"),
        (Recipe("uniform", "float32", -3e38, 3e38), "do not fit float32"),
        (Recipe("integers", "uint8", 0, 256), "allowed: first <= last in 0 .. 255"),
        (Recipe("integers", "int8", 3, 2), "first <= last"),
    ],
)
def test_impossible_recipes_are_named(recipe: Recipe, words: str) -> None:
    with pytest.raises(RecipeError, match=words):
        generate(recipe, 0, 1)
