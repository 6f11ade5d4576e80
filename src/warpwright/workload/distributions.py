"""The `values` of an input: `normal(0, 1)`, `uniform(a, b)`, `integers(a, b)`, `ones`, `permutation`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, prod

import numpy as np

from warpwright.candidate.expressions import ExpressionError, evaluate, parse
from warpwright.workload.dtypes import ElementType, integer_range
from warpwright.workload.generator import RecipeError, check_recipe, generate
from warpwright.workload.recipe import Recipe
from warpwright.workload.values import Array

_CALL = re.compile(r"\s*([a-z_]+)\s*(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?\s*", re.ASCII)
_FORMS = "normal(mean, deviation), uniform(low, high), integers(first, last), ones, permutation"
_COUNTS = {"normal": 2, "uniform": 2, "integers": 2, "ones": 0, "permutation": 0}


class DistributionError(ValueError):
    """A `values` text that cannot be read, or that does not suit the dtype or the dims."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """kind and its two arguments: numbers, or for `integers` expressions over dims (both ends included)."""

    kind: str
    arguments: tuple[str, ...]

    def numbers(self) -> tuple[float, float]:
        """The arguments of `normal` and `uniform`."""
        first, second = map(float, self.arguments)
        return first, second

    def integers(self, dims: Mapping[str, int]) -> tuple[int, int]:
        """The arguments of `integers` under these dims. Raises: ExpressionError."""
        first, last = (evaluate(text, dims) for text in self.arguments)
        return first, last


def parse_distribution(text: str) -> Distribution:
    """The distribution written in `text`. Raises: DistributionError naming what is allowed."""
    match = _CALL.fullmatch(text)
    if match is None or match[1] not in _COUNTS:
        raise DistributionError(f"found {text!r}; allowed: {_FORMS}")
    arguments = tuple(_split(match[2] or ""))
    if len(arguments) != _COUNTS[match[1]]:
        raise DistributionError(f"found {text!r} with {len(arguments)} values; allowed: {_FORMS}")
    distribution = Distribution(match[1], arguments)
    _check_arguments(distribution, text)
    return distribution


def check_distribution(
    distribution: Distribution, element: ElementType, shape: tuple[int, ...], dims: Mapping[str, int]
) -> None:
    """Raises: DistributionError if the values cannot be drawn in this dtype and shape."""
    low, high = _bounds(distribution, shape, dims)
    if element.is_float:
        recipe = recipe_of(distribution, element, dims)
        if recipe is not None:
            _check_recipe(recipe)
        return
    if distribution.kind in ("normal", "uniform"):
        raise DistributionError(
            f"{distribution.kind} needs a floating-point dtype; {element.name} takes integers, ones"
        )
    least, greatest = integer_range(element)
    if low < least or high > greatest:
        raise DistributionError(f"values {low} .. {high} do not fit {element.name} ({least} .. {greatest})")


def recipe_of(distribution: Distribution, element: ElementType, dims: Mapping[str, int]) -> Recipe | None:
    """The recipe that a device follows by itself; None for values that only the host makes (`permutation`).

    Raises: ExpressionError if an expression of `integers` fails under these dims.
    """
    match distribution.kind:
        case "normal" | "uniform":
            return Recipe(distribution.kind, element.name, *distribution.numbers())
        case "integers":
            return Recipe("integers", element.name, *distribution.integers(dims))
        case "ones":
            return Recipe("ones", element.name)
        case _:
            return None


def draw(
    distribution: Distribution, element: ElementType, shape: tuple[int, ...], dims: Mapping[str, int], key: int
) -> Array:
    """An array of this dtype and shape, C order, the same for the same 128-bit key. Raises: DistributionError."""
    check_distribution(distribution, element, shape, dims)
    recipe = recipe_of(distribution, element, dims)
    if recipe is not None:
        return generate(recipe, key, prod(shape)).reshape(shape)
    order = np.random.Generator(np.random.Philox(key=key)).permutation(prod(shape))
    return order.reshape(shape).astype(element.numpy)


def _split(text: str) -> list[str]:
    """Arguments at the commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()] if text.strip() else []


def _check_arguments(distribution: Distribution, text: str) -> None:
    if distribution.kind == "integers":
        try:
            for argument in distribution.arguments:
                parse(argument)
        except ExpressionError as error:
            raise DistributionError(str(error)) from None
    elif distribution.arguments:
        try:
            first, second = distribution.numbers()
        except ValueError:
            raise DistributionError(f"found {text!r}; allowed: numbers in {distribution.kind}(...)") from None
        if not (isfinite(first) and isfinite(second)) or (distribution.kind == "uniform" and first >= second):
            raise DistributionError(f"found {text!r}; allowed: finite numbers, the lower one first")


def _check_recipe(recipe: Recipe) -> None:
    try:
        check_recipe(recipe)
    except RecipeError as error:
        raise DistributionError(str(error)) from None


def _bounds(distribution: Distribution, shape: tuple[int, ...], dims: Mapping[str, int]) -> tuple[int, int]:
    match distribution.kind:
        case "integers":
            try:
                low, high = distribution.integers(dims)
            except ExpressionError as error:
                raise DistributionError(str(error)) from None
            if low > high:
                raise DistributionError(f"integers({low}, {high}): the first is above the last")
            return low, high
        case "permutation":
            return 0, max(prod(shape) - 1, 0)
        case _:
            return 1, 1
