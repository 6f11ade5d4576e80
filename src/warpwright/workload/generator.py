"""Makes the values of a recipe on the host, to the bits that C++ and the GPU make (`docs/harness.md`, *Generated values*).

Source of the stream: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011 (Philox4x64-10).
"""

from math import isfinite, sqrt
from typing import Any

import numpy as np

from warpwright.workload.dtypes import ElementType, NumberKind, element_type, integer_range
from warpwright.workload.recipe import Recipe
from warpwright.workload.values import Array

_CHUNK_ELEMENTS = 1 << 15  # words and temporaries stay in a core's cache
_WORDS = {"normal": 2, "uniform": 1, "integers": 1, "ones": 0}
_SUM_CENTRE = 8 * 0xFFFF
"""Twice the mean of a sum of eight 16-bit numbers."""
SUM_DEVIATION = 2 * sqrt(8 * (2**32 - 1) / 12)
"""Standard deviation of twice such a sum."""
_LOW_HALVES = np.uint64(0x0000FFFF0000FFFF)
_LOW_WORD = np.uint64(0xFFFFFFFF)
_WORD_VALUES = 1 << 64


class RecipeError(ValueError):
    """A recipe that no value can be made from: unknown kind, numbers beyond the dtype."""


def generate(recipe: Recipe, key: int, count: int) -> Array:
    """The first `count` values of the recipe under a 128-bit key, flat, in the recipe's dtype.

    Value i depends on recipe, key and i alone. Raises: RecipeError, as `check_recipe`.
    """
    check_recipe(recipe)
    element = element_type(recipe.dtype)
    values: Array = np.empty(count, element.numpy)
    words = _WORDS[recipe.kind]
    if words == 0:
        values.fill(1)
        return values
    stream = np.random.Philox(key=key)
    make = _maker(recipe, element)
    with np.errstate(over="ignore", under="ignore"):  # a narrow type may round to infinity, as on the GPU
        for start in range(0, count, _CHUNK_ELEMENTS):
            part = values[start : start + _CHUNK_ELEMENTS]
            part[...] = make(stream.random_raw(part.size * words))
    return values


def check_recipe(recipe: Recipe) -> None:
    """Raises: RecipeError naming what is wrong with the recipe and what is allowed."""
    element = element_type(recipe.dtype)
    if recipe.kind not in _WORDS:
        raise RecipeError(f"recipe kind {recipe.kind!r}; allowed: {', '.join(_WORDS)}")
    if recipe.kind in ("normal", "uniform"):
        if not element.is_float:
            raise RecipeError(f"{recipe.kind} in {element.name}; allowed: floating-point dtypes")
        if not all(isfinite(constant) for constant in _constants(recipe, _arithmetic(element))):
            raise RecipeError(
                f"{recipe.kind}({recipe.first:g}, {recipe.second:g}): its numbers or their range do not fit "
                f"{np.dtype(_arithmetic(element)).name}, in which {element.name} values are made"
            )
    elif recipe.kind == "integers":
        low, high = (-(1 << 63), (1 << 63) - 1) if element.is_float else integer_range(element)
        if not low <= recipe.first <= recipe.second <= high:
            raise RecipeError(
                f"integers({recipe.first}, {recipe.second}) in {element.name}; allowed: first <= last in {low} .. {high}"
            )


def _maker(recipe: Recipe, element: ElementType) -> Any:
    """The function from a chunk's words to its values."""
    precision = _arithmetic(element)
    match recipe.kind:
        case "normal":
            mean, scale = _constants(recipe, precision)
            return lambda words: _sums(words).astype(precision) * scale + mean
        case "uniform":
            low, width = _constants(recipe, precision)
            bits = 53 if precision is np.float64 else 24
            shift, unit = np.uint64(64 - bits), precision(2.0**-bits)
            return lambda words: (words >> shift).astype(precision) * unit * width + low
        case _:
            return _integer_maker(int(recipe.first), int(recipe.second), element)


def _integer_maker(first: int, last: int, element: ElementType) -> Any:
    span = last - first + 1
    offset = np.uint64(first % _WORD_VALUES)

    def make(words: Array) -> Array:
        if span < _WORD_VALUES:  # the whole range of 64 bits is the word itself
            words -= words // np.uint64(span) * np.uint64(span)
        words += offset
        if not element.is_float:
            return words if element.kind is NumberKind.BOOL else words.astype(element.numpy)
        return words.view(np.int64).astype(_arithmetic(element))

    return make


def _arithmetic(element: ElementType) -> Any:
    """The type in which a float's values are computed, each operation rounded on its own."""
    return np.float64 if element.name == "float64" else np.float32


def _constants(recipe: Recipe, precision: Any) -> tuple[Any, Any]:
    """(first, factor) of `normal` and `uniform`: computed in float64, rounded once."""
    first, second = float(recipe.first), float(recipe.second)
    factor = second / SUM_DEVIATION if recipe.kind == "normal" else second - first
    with np.errstate(over="ignore", under="ignore"):
        return precision(first), precision(factor)


def _sums(words: Array) -> Array:
    """Twice the sum of the eight 16-bit parts of each pair of words, minus its mean: int64, exact."""
    lanes = words & _LOW_HALVES
    words >>= np.uint64(16)
    words &= _LOW_HALVES
    lanes += words
    total = lanes[0::2] + lanes[1::2]
    sums = total & _LOW_WORD
    total >>= np.uint64(32)
    sums += total
    sums <<= np.uint64(1)
    signed: Array = sums.view(np.int64)
    signed -= _SUM_CENTRE
    return signed
