"""The space of a tuning search: named values, and which combinations a launch can have."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

Point = tuple[int, ...]
"""Index of the chosen value, per name in order."""

MOST_DIAGONALS = 3
"""Points of a beginning that take the values at the same place of every list."""
ENUMERATED = 20_000
"""Spaces up to this size are listed whole; larger ones are sampled."""

_SAMPLE_TRIES = 4_000


def _everything(_: Mapping[str, int]) -> bool:
    return True


@dataclass(frozen=True)
class Space:
    """Tunables with their values, first = default. valid: static check of a point by name.

    first: the point to try before all others, by name; what it leaves out has its default.
    """

    values: Mapping[str, tuple[int, ...]]
    valid: Callable[[Mapping[str, int]], bool] = _everything
    first: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tunables, in order."""
        return tuple(self.values)

    @cached_property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        """Distinct values of each tunable, in order."""
        return tuple(tuple(dict.fromkeys(self.values[name])) for name in self.names)

    @property
    def size(self) -> int:
        """Points, impossible ones included."""
        return prod(len(choice) for choice in self.choices)

    @cached_property
    def points(self) -> tuple[Point, ...] | None:
        """Every possible point; None if the space is too large to list."""
        if self.size > ENUMERATED:
            return None
        ranges = [range(len(choice)) for choice in self.choices]
        return tuple(p for p in product(*ranges) if self.valid(self.named(p)))

    @cached_property
    def beginning(self) -> tuple[Point, ...]:
        """The first point, the default, and what goes together: whoever writes the lists puts a large tile's share of a thread
        where the large tile stands. Only possible points of this space.
        """
        defaults = {name: choice[0] for name, choice in zip(self.names, self.choices, strict=True)}
        longest = max((len(choice) for choice in self.choices), default=0)
        diagonals = [
            tuple(min(place, len(choice) - 1) for choice in self.choices)
            for place in range(1, min(longest, MOST_DIAGONALS + 1))
        ]
        wanted = (self.indexed({**defaults, **self.first}), self.indexed(defaults), *diagonals)
        return tuple(dict.fromkeys(p for p in wanted if p is not None and self.valid(self.named(p))))

    def named(self, point: Point) -> dict[str, int]:
        """The point as tunable -> value."""
        return {name: choice[i] for name, choice, i in zip(self.names, self.choices, point, strict=True)}

    def indexed(self, point: Mapping[str, int]) -> Point | None:
        """The point as indices; None if it is not of this space."""
        try:
            return tuple(choice.index(point[name]) for name, choice in zip(self.names, self.choices, strict=True))
        except (KeyError, ValueError):
            return None

    def neighbours(self, point: Point) -> Iterator[Point]:
        """Possible points that differ in one tunable."""
        for axis, choice in enumerate(self.choices):
            for index in range(len(choice)):
                other = (*point[:axis], index, *point[axis + 1 :])
                if index != point[axis] and self.valid(self.named(other)):
                    yield other

    def sample(self, rng: np.random.Generator, count: int) -> list[Point]:
        """Up to `count` distinct possible points at random; fewer where possible points are rare."""
        if self.points is not None:
            order = rng.permutation(len(self.points))[:count]
            return [self.points[i] for i in order]
        found: dict[Point, None] = {}
        for _ in range(_SAMPLE_TRIES):
            point = tuple(int(rng.integers(len(choice))) for choice in self.choices)
            if point not in found and self.valid(self.named(point)):
                found[point] = None
                if len(found) == count:
                    break
        return list(found)
