"""How an input is made, in a form that NumPy, C++ and the GPU carry out to the same bits (`docs/harness.md`)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """kind: `normal` (mean, deviation), `uniform` (low, high), `integers` (first, last; both ends included) or `ones`.

    first, second: its two numbers, ints for `integers`, 0 for `ones`.
    """

    kind: str
    dtype: str
    first: float | int = 0
    second: float | int = 0


@dataclass(frozen=True, slots=True)
class Generated:
    """An input that need not cross to the device: it is made there. key: 128 bits, as `arguments.random_key` gives it."""

    recipe: Recipe
    key: int
