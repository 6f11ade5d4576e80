"""What the comparator measures element by element, in blocks of bounded size, on as many cores as there are.

Each block is measured by itself and blocks are added up in their order, so that results do not depend on the number of cores.
"""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from math import inf, isfinite, isnan, prod

import numpy as np

from warpwright.workload.comparison.tolerance import SCALE_ELEMENTS, Budget
from warpwright.workload.dtypes import ElementType
from warpwright.workload.values import Array

SHOWN = 8
"""Wrong elements of an output that are told."""
_CHUNK_ELEMENTS = 1 << 17
"""Large enough that threads compute longer than they wait for the interpreter between two steps, small enough for a cache."""
_THREADED_ELEMENTS = 1 << 20
"""Fewer are measured sooner than threads start."""
_MOST_THREADS = 4
"""More only wait for the interpreter and for memory."""
_PARTS_PER_THREAD = 2
_MOST_SQUARED = 1e150
_MOST_CANCELLED = 256.0
"""Eight bits of the largest term."""
_MOST_LIFTED = 0.1
_DOT_ELEMENTS = 4096  # BLAS starts no threads of its own for so few

_Block = tuple[slice, slice]


@dataclass(slots=True)
class Sums:
    """What is known of some elements. first: (flat position, got, want) of up to SHOWN wrong ones of each block."""

    wrong: int = 0
    margin: float = 0.0
    nonfinite: bool = False
    error_squares: float = 0.0
    want_squares: float = 0.0
    first: list[tuple[int, float, float]] = field(default_factory=list)

    def add(self, other: "Sums") -> None:
        """Put the next block's behind these."""
        self.wrong += other.wrong
        self.margin = max(self.margin, other.margin)
        self.nonfinite |= other.nonfinite
        self.error_squares += other.error_squares
        self.want_squares += other.want_squares
        self.first += other.first


class _Workspace(threading.local):
    """Two float64 arrays for each thread: fresh ones for every block would cost more page faults than arithmetic."""

    def __init__(self) -> None:
        self._flat = np.empty((2, 0))

    def arrays(self, shape: tuple[int, ...]) -> tuple[Array, Array]:
        """Uninitialised arrays of that shape, C order; valid until the next call."""
        size = prod(shape)
        if self._flat.shape[1] < size:
            self._flat = np.empty((2, size))
        first, second = (flat[:size].reshape(shape) for flat in self._flat)
        return first, second


_WORKSPACE = _Workspace()


@cache
def _workers() -> ThreadPoolExecutor:
    """Shared by all comparisons of this process, so that several at once do not crowd it, and workspaces are kept."""
    return ThreadPoolExecutor(_threads(), thread_name_prefix="comparator")


def _threads() -> int:
    return min(os.cpu_count() or 1, _MOST_THREADS)


def measure(element: ElementType, got: Array, want: Array, limits: Budget) -> Sums:
    """Errors of two arrays in rows and columns against their budget; `want` in float64, `got` in its dtype."""
    scales = _lifted(_scales(want, element), limits)[:, None] if limits.scale_ratio else None
    greatest = _greatest(element)

    def one(block: _Block) -> Sums:
        given = got[block]
        wanted = want[block].astype(np.float64, copy=False)
        allowed = limits.atol if scales is None else limits.atol + limits.scale_ratio * scales[block[0]]
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            measured = _measure_finite(given, wanted, allowed, limits.rtol, greatest)
            if measured is None:
                exact = given.astype(np.float64, copy=False)
                measured = _measure_any(exact, _as_stored(element, wanted), allowed, limits.rtol)
        sums, bad = measured
        if bad is not None:
            sums.first = _first(bad, given, _as_stored(element, wanted), block, want.shape[1])
        return sums

    total = Sums()
    for sums in _over_blocks(want.shape, one):
        total.add(sums)
    return total


def differences(got: Array, want: Array) -> Sums:
    """Elements of two arrays in rows and columns that are not equal."""

    def one(block: _Block) -> Sums:
        bad = got[block] != want[block]
        count = int(np.count_nonzero(bad))
        first = _first(bad, got[block], want[block], block, want.shape[1]) if count else []
        return Sums(wrong=count, first=first)

    total = Sums()
    for sums in _over_blocks(want.shape, one):
        total.add(sums)
    return total


def _measure_finite(
    got: Array, want: Array, allowed: Array | float, rtol: float, greatest: float
) -> tuple[Sums, Array | None] | None:
    """The block where every value is finite and within the dtype's range; None if that is not sure.

    Sums are finite only if every term is, and no element is larger than the root of the sum of squares.
    """
    error, budget = _WORKSPACE.arrays(got.shape)
    np.copyto(error, got, casting="unsafe")
    error -= want
    error_squares = _sum_of_squares(error)
    np.abs(want, out=budget)
    want_squares = _sum_of_squares(budget)
    if not isfinite(error_squares) or not isfinite(want_squares) or want_squares > greatest * greatest:
        return None
    budget *= rtol
    budget += allowed
    ratio = np.divide(error, budget, out=error)
    worst = max(float(ratio.max(initial=0.0)), -float(ratio.min(initial=0.0)))
    if isnan(worst):  # 0 / 0: an exact element without any budget
        return None
    sums = Sums(margin=worst, error_squares=error_squares, want_squares=want_squares)
    if worst <= 1.0:
        return sums, None
    bad = np.abs(ratio, out=ratio) > 1.0
    sums.wrong = int(np.count_nonzero(bad))
    return sums, bad


def _sum_of_squares(values: Array) -> float:
    """Of a contiguous float64 array, read once and in one order, whatever its shape."""
    flat = values.reshape(-1)
    whole = flat[: flat.size - flat.size % _DOT_ELEMENTS].reshape(-1, _DOT_ELEMENTS)
    rest = flat[whole.size :]
    return float(np.sum(np.vecdot(whole, whole)) + np.vecdot(rest, rest))


def _measure_any(got: Array, want: Array, allowed: Array | float, rtol: float) -> tuple[Sums, Array | None]:
    """The block with NaN and infinities: the former where the latter are expected, the latter by sign."""
    finite = np.isfinite(got) & np.isfinite(want)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    error = np.where(finite, np.abs(got - want), 0.0)
    ratio = np.where(same, 0.0, np.where(finite, error / (allowed + rtol * np.abs(want)), inf))
    bad = ratio > 1.0
    sums = Sums(
        wrong=int(np.count_nonzero(bad)),
        margin=float(ratio.max(initial=0.0)),
        nonfinite=bool((bad & ~finite).any()),
        error_squares=_sum_of_squares(error),
        want_squares=_sum_of_squares(np.where(np.isfinite(want), want, 0.0)),
    )
    return sums, bad if sums.wrong else None


def _first(bad: Array, got: Array, want: Array, block: _Block, width: int) -> list[tuple[int, float, float]]:
    rows, columns = (positions[:SHOWN].tolist() for positions in np.nonzero(bad))
    return [
        ((block[0].start + row) * width + block[1].start + column, float(got[row, column]), float(want[row, column]))
        for row, column in zip(rows, columns, strict=True)
    ]


def greatest_scaled(element: ElementType) -> float:
    """The largest value that counts for a scale: what the dtype can hold, as far as its square is finite in float64."""
    return min(_greatest(element), _MOST_SQUARED)


def _lifted(scales: Array, limits: Budget) -> Array:
    """At least the scale that other draws show, as far as cancellation explains the difference.

    More than _MOST_CANCELLED, or a limit of more than _MOST_LIFTED of the values themselves, would let wrong ones pass.
    """
    most = min(_MOST_CANCELLED, _MOST_LIFTED / limits.scale_ratio)
    lifted: Array = np.maximum(scales, np.minimum(limits.least_scale, most * scales))
    return lifted


def _greatest(element: ElementType) -> float:
    """Largest finite value of a dtype that rounds larger ones to infinity; float64 and integers hold what they are given."""
    if not element.is_float or element.name == "float64":
        return inf
    exponent = {"float32": 128, "bfloat16": 128, "float16": 16}[element.name]
    return float(2.0**exponent * (1 - element.unit_roundoff))


def _as_stored(element: ElementType, want: Array) -> Array:
    """Expected values as the dtype can hold them: what is beyond its range is an infinity, the rest stays exact."""
    if not element.is_float or element.name == "float64":
        return want
    with np.errstate(over="ignore", invalid="ignore"):
        stored = want.astype(element.numpy).astype(np.float64)
    return np.where(np.isinf(stored), stored, want)


def _scales(want: Array, element: ElementType) -> Array:
    """Root mean square of each row's expected values, as far as the dtype can hold them; short rows share with others.

    A handful of values may all be small by cancellation, and says nothing of the terms that they are the sum of.
    """
    squares, counts = np.zeros(want.shape[0]), np.zeros(want.shape[0])
    greatest = greatest_scaled(element)
    for (rows, _), (block_squares, block_counts) in zip(
        _blocks(want.shape), _over_blocks(want.shape, lambda block: _row_squares(want[block], greatest)), strict=True
    ):
        squares[rows] += block_squares
        counts[rows] += block_counts
    together = -(-SCALE_ELEMENTS // want.shape[1])
    if together > 1:
        starts = np.arange(0, max(want.shape[0] - together + 1, 1), together)  # a short rest joins the last group
        sizes = np.diff([*starts, want.shape[0]])
        squares, counts = (np.repeat(np.add.reduceat(values, starts), sizes) for values in (squares, counts))
    scales: Array = np.sqrt(squares / np.maximum(counts, 1))
    return scales


def _row_squares(block: Array, greatest: float) -> tuple[Array, Array]:
    """Of each row: sum of the squares of its elements up to `greatest`, and how many there are."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares, _ = _WORKSPACE.arrays(block.shape)
        np.copyto(squares, block, casting="unsafe")
        np.square(squares, out=squares)
        if squares.max(initial=0.0) <= greatest * greatest:  # also false if there is a NaN
            return np.sum(squares, axis=1), np.full(block.shape[0], block.shape[1])
        held = np.abs(block) <= greatest
        return np.sum(np.square(np.where(held, block, 0.0)), axis=1), held.sum(axis=1)


def _over_blocks[R](shape: tuple[int, ...], function: Callable[[_Block], R]) -> list[R]:
    """The function of every block, in order; NumPy lets other threads run while it computes."""
    blocks = list(_blocks(shape))
    threads = _threads()
    if threads < 2 or shape[0] * shape[1] < _THREADED_ELEMENTS:
        return [function(block) for block in blocks]
    count = min(_PARTS_PER_THREAD * threads, len(blocks))
    parts = [blocks[len(blocks) * part // count : len(blocks) * (part + 1) // count] for part in range(count)]
    found = _workers().map(lambda part: [function(block) for block in part], parts)
    return [each for part in found for each in part]


def _blocks(shape: tuple[int, ...]) -> Iterator[_Block]:
    """Rows and columns of bounded size, in row order."""
    height, width = shape
    columns = min(width, _CHUNK_ELEMENTS)
    rows = max(1, _CHUNK_ELEMENTS // columns)
    for top in range(0, height, rows):
        for left in range(0, width, columns):
            yield slice(top, min(top + rows, height)), slice(left, min(left + columns, width))
