"""Which blocks of a grid to run when all would be too many: strata by position, each with its weight.

Along every axis a block is first, last or between; the combinations are the strata (corners, edges, faces, interior).
Blocks at the border often do other work (ragged ends, clamped neighbours), so a plain mean would be off.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

Dim3 = tuple[int, int, int]

FULL_GRID_BLOCKS = 64
"""Grids of at most this many blocks are run whole."""

_INTERIOR_FIRST = 8
"""Blocks of the largest stratum that come before any other stratum."""

_GOLDEN = (0.6180339887498949, 0.7548776662466927, 0.8191725133961645)
"""Steps of a low-discrepancy sequence in 1, 2 and 3 dimensions (inverse of the generalised golden ratio)."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Blocks at like positions. ranges: [low, high) along each axis. sample: linear ids to run, in order of use."""

    ranges: tuple[tuple[int, int], ...]
    sample: tuple[int, ...]

    @property
    def blocks(self) -> int:
        """How many there are."""
        return _count(self.ranges)

    def holds(self, grid: Dim3, block: int) -> bool:
        """Whether a linear id is one of them."""
        position = (block % grid[0], block // grid[0] % grid[1], block // (grid[0] * grid[1]))
        return all(low <= at < high for at, (low, high) in zip(position, self.ranges, strict=True))


def strata(grid: Dim3, per_stratum: int) -> tuple[Stratum, ...]:
    """All strata of a grid, largest first; the largest has up to `per_stratum` samples, the others up to two."""
    axes = [_axis_ranges(size) for size in grid]
    ranges = [part for part in product(*axes) if all(low < high for low, high in part)]
    ranges.sort(key=lambda part: -_count(part))
    return tuple(
        Stratum(part, _spread(grid, part, per_stratum if index == 0 else 2)) for index, part in enumerate(ranges)
    )


def whole(grid: Dim3) -> Stratum:
    """Every block of a small grid, in an order of which each prefix is spread over the grid."""
    blocks = grid[0] * grid[1] * grid[2]
    everything = ((0, grid[0]), (0, grid[1]), (0, grid[2]))
    return Stratum(everything, tuple(sorted(range(blocks), key=lambda block: (0.5 + block * _GOLDEN[0]) % 1.0)))


def run_order(parts: Sequence[Stratum]) -> list[tuple[int, int]]:
    """(stratum, linear block id) so that every prefix is a fair sample: some interior, each border once, the rest."""
    first = [(0, block) for block in parts[0].sample[:_INTERIOR_FIRST]]
    border = [(i, part.sample[0]) for i, part in enumerate(parts) if i]
    rest = [(i, block) for i, part in enumerate(parts) if i for block in part.sample[1:]]
    return first + border + rest + [(0, block) for block in parts[0].sample[_INTERIOR_FIRST:]]


def linear(grid: Dim3, position: Dim3) -> int:
    """Linear id of a block, x fastest."""
    x, y, z = position
    return (z * grid[1] + y) * grid[0] + x


def _axis_ranges(size: int) -> list[tuple[int, int]]:
    return [(0, 1), (1, size - 1), (size - 1, size)] if size > 1 else [(0, 1)]


def _count(part: Sequence[tuple[int, int]]) -> int:
    count = 1
    for low, high in part:
        count *= high - low
    return count


def _spread(grid: Dim3, part: Sequence[tuple[int, int]], wanted: int) -> tuple[int, ...]:
    """Up to `wanted` different blocks of one stratum, evenly spread."""
    total = _count(part)
    if total <= wanted:
        return tuple(linear(grid, (x, y, z)) for z in range(*part[2]) for y in range(*part[1]) for x in range(*part[0]))
    dimensions = sum(high - low > 1 for low, high in part)
    steps = _GOLDEN[dimensions - 1]
    chosen: dict[int, None] = {}
    index = 0
    while len(chosen) < wanted and index < 16 * wanted:
        power, position = 1.0, []
        for low, high in part:
            power *= steps if high - low > 1 else 1.0
            position.append(low + int((0.5 + index * power) % 1.0 * (high - low)))
        chosen.setdefault(linear(grid, (position[0], position[1], position[2])))
        index += 1
    return tuple(chosen)
