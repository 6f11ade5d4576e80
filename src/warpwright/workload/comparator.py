"""Compares what a candidate wrote with what the oracle expects: the one comparator (`verification.md` V10 to V14)."""

from collections.abc import Iterator, Mapping
from math import inf, sqrt
from typing import Protocol

import numpy as np

from warpwright.workload.dtypes import element_type
from warpwright.workload.model import ArrayParameter, Case, Workload
from warpwright.workload.oracle.verdict import CustomVerdict
from warpwright.workload.tolerance import Budget, budget
from warpwright.workload.values import Array, Comparison, Mismatch

_CHUNK_ELEMENTS = 1 << 16  # fits a core's cache with its temporaries
_SCALE_ELEMENTS = 64
"""Fewest expected values behind one scale."""
_SHOWN = 8


class CustomCompare(Protocol):
    """The oracle, as far as the comparator needs it."""

    @property
    def compares(self) -> bool:
        """True if the workload brings its own `compare`."""
        ...

    def compare(self, case: Case, actual: Mapping[str, Array], expected: Mapping[str, Array]) -> CustomVerdict:
        """The verdict of the workload's own `compare`."""
        ...


def compare_case(
    workload: Workload, case: Case, actual: Mapping[str, Array], expected: Mapping[str, Array], oracle: CustomCompare
) -> tuple[Comparison, ...]:
    """One verdict for each output, or a single one by the workload's own `compare`.

    actual: as the device gave it back. expected: from `Oracle.expected`.
    """
    outputs = workload.outputs
    formal = [_form(output, actual[output.name], expected[output.name]) for output in outputs]
    broken = tuple(comparison for comparison in formal if comparison is not None)
    if broken:
        return broken
    if oracle.compares:
        chosen = {output.name: actual[output.name] for output in outputs}
        wanted = {output.name: expected[output.name] for output in outputs}
        return (_custom(workload, wanted, oracle.compare(case, chosen, wanted)),)
    return tuple(
        compare_output(output, actual[output.name], expected[output.name], budget(workload, output, case.dims))
        for output in outputs
    )


def compare_output(parameter: ArrayParameter, actual: Array, expected: Array, limits: Budget) -> Comparison:
    """All elements of one output: |got - want| <= atol + rtol |want|, then the relative RMS error of the whole.

    NaN must stand where NaN is expected, infinities by sign; an expected value beyond the dtype's range is an infinity.
    """
    broken = _form(parameter, actual, expected)
    if broken is not None:
        return broken
    got, want = actual.reshape(_rows(actual.shape)), expected.reshape(_rows(actual.shape))
    if limits.exact:
        return _exact(parameter, actual.shape, got, want)
    sums = _Sums()
    scales = _scales(want) if limits.scale_ratio else np.zeros(want.shape[0])
    for rows, columns in _chunks(want.shape):
        _add(sums, parameter, _Chunk(got, want, rows, columns), limits, scales)
    return _verdict(parameter, actual.shape, sums, limits)


class _Sums:
    """What the chunks add up to."""

    def __init__(self) -> None:
        self.wrong = 0
        self.margin = 0.0
        self.nonfinite = False
        self.error_squares = 0.0
        self.want_squares = 0.0
        self.first: list[tuple[int, float, float]] = []


class _Chunk:
    """A block of rows and columns in float64; offset: flat position of its elements."""

    def __init__(self, got: Array, want: Array, rows: slice, columns: slice) -> None:
        self.rows = rows
        self.got: Array = got[rows, columns].astype(np.float64, copy=False)
        self.want: Array = want[rows, columns].astype(np.float64, copy=False)
        self.row_start, self.column_start, self.width = rows.start, columns.start, got.shape[1]

    def flat(self, row: int, column: int) -> int:
        return int((self.row_start + row) * self.width + self.column_start + column)


def _add(sums: _Sums, parameter: ArrayParameter, chunk: _Chunk, limits: Budget, scales: Array) -> None:
    got, want = chunk.got, _as_stored(parameter, chunk.want)
    finite = np.isfinite(got) & np.isfinite(want)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        error = np.where(finite, np.abs(got - want), 0.0)
        allowed = limits.atol + limits.scale_ratio * scales[chunk.rows, None] + limits.rtol * np.abs(want)
        ratio = np.where(same, 0.0, np.where(finite, error / allowed, inf))
    bad = ratio > 1.0
    worst = float(ratio.max(initial=0.0))
    sums.margin = max(sums.margin, worst)
    sums.error_squares += float(np.sum(np.square(error)))
    sums.want_squares += float(np.sum(np.square(np.where(np.isfinite(want), want, 0.0))))
    count = int(bad.sum())
    if not count:
        return
    sums.wrong += count
    sums.nonfinite |= bool((bad & ~finite).any())
    rows, columns = (positions[:_SHOWN] for positions in np.nonzero(bad))
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        sums.first.append((chunk.flat(row, column), float(got[row, column]), float(want[row, column])))


def _verdict(parameter: ArrayParameter, shape: tuple[int, ...], sums: _Sums, limits: Budget) -> Comparison:
    total = int(np.prod(shape))
    rms_margin = _rms_margin(sums, limits, total)
    first = _mismatches(shape, sums.first)
    reason, message = None, ""
    if sums.wrong:
        reason = "nonfinite" if sums.nonfinite else "mismatch"
        message = _wrong(parameter.name, sums.wrong, total, first, sums.margin)
    elif rms_margin > 1.0:
        reason = "mismatch"
        message = (
            f"{parameter.name}: every element is within its limit, but the relative RMS error of the whole is "
            f"{rms_margin:.3g} times the allowed {limits.rms_ratio:.3g}: a systematic loss of precision"
        )
    return Comparison(
        parameter.name, reason is None, sums.margin, rms_margin, sums.wrong, total, first, reason, message
    )  # fmt: skip


def _rms_margin(sums: _Sums, limits: Budget, total: int) -> float:
    """Relative RMS error over its limit; an explicit absolute tolerance is granted to every element here too."""
    if limits.rms_ratio is None or sums.error_squares == 0.0:
        return 0.0
    allowed = limits.rms_ratio * sqrt(sums.want_squares) + limits.atol * sqrt(total)
    return sqrt(sums.error_squares) / allowed if allowed else inf


def _exact(parameter: ArrayParameter, shape: tuple[int, ...], got: Array, want: Array) -> Comparison:
    wrong, first = 0, list[tuple[int, float, float]]()
    for rows, columns in _chunks(want.shape):
        bad = got[rows, columns] != want[rows, columns]
        count = int(bad.sum())
        wrong += count
        if count and len(first) < _SHOWN:
            for row, column in zip(*(positions[:_SHOWN].tolist() for positions in np.nonzero(bad)), strict=True):
                place = (rows.start + row, columns.start + column)
                first.append((place[0] * want.shape[1] + place[1], float(got[place]), float(want[place])))
    mismatches = _mismatches(shape, first)
    total = int(np.prod(shape))
    if not wrong:
        return _agreed(parameter.name, total)
    message = _wrong(parameter.name, wrong, total, mismatches, inf)
    return _refused(parameter.name, wrong, total, "mismatch", message, mismatches)


def _form(parameter: ArrayParameter, actual: Array, expected: Array) -> Comparison | None:
    """The verdict if shape or dtype are wrong already; then nothing else can be compared."""
    dtype = element_type(parameter.dtype).numpy
    name, total = parameter.name, int(expected.size)
    if actual.shape != expected.shape:
        message = f"{name}: shape {actual.shape}; expected {expected.shape}"
        return _refused(name, total, total, "shape", message)
    if actual.dtype != dtype:
        message = f"{name}: dtype {actual.dtype}; expected {dtype}"
        return _refused(name, total, total, "dtype", message)
    return None


def _custom(workload: Workload, expected: Mapping[str, Array], verdict: CustomVerdict) -> Comparison:
    names = ", ".join(output.name for output in workload.outputs)
    total = sum(array.size for array in expected.values())
    if verdict.accepted:
        return _agreed(names, total)
    message = f"{names}: the workload's compare says: {verdict.message}"
    return _refused(names, 0, total, "mismatch", message)


def _agreed(output: str, total: int) -> Comparison:
    return Comparison(output, passed=True, margin=0.0, rms_margin=0.0, wrong=0, total=total, first=())


def _refused(
    output: str, wrong: int, total: int, reason: str, message: str, first: tuple[Mismatch, ...] = ()
) -> Comparison:
    return Comparison(
        output, passed=False, margin=inf, rms_margin=0.0, wrong=wrong, total=total, first=first, reason=reason,
        message=message,
    )  # fmt: skip


def _as_stored(parameter: ArrayParameter, want: Array) -> Array:
    """Expected values as the dtype can hold them: what is beyond its range is an infinity, the rest stays exact."""
    element = element_type(parameter.dtype)
    if not element.is_float or element.name == "float64":
        return want
    with np.errstate(over="ignore", invalid="ignore"):
        stored = want.astype(element.numpy).astype(np.float64)
    return np.where(np.isinf(stored), stored, want)


def _scales(want: Array) -> Array:
    """Root mean square of the finite expected values of each row; short rows share theirs with their neighbours.

    A handful of values may all be small by cancellation, and says nothing of the terms that they are the sum of.
    """
    squares, counts = np.zeros(want.shape[0]), np.zeros(want.shape[0])
    for rows, columns in _chunks(want.shape):
        block = want[rows, columns]
        finite = np.isfinite(block)
        squares[rows] += np.sum(np.square(np.where(finite, block, 0.0)), axis=1)
        counts[rows] += finite.sum(axis=1)
    together = -(-_SCALE_ELEMENTS // want.shape[1])
    if together > 1:
        starts = np.arange(0, max(want.shape[0] - together + 1, 1), together)  # a short rest joins the last group
        sizes = np.diff([*starts, want.shape[0]])
        squares, counts = (np.repeat(np.add.reduceat(values, starts), sizes) for values in (squares, counts))
    scales: Array = np.sqrt(squares / np.maximum(counts, 1))
    return scales


def _rows(shape: tuple[int, ...]) -> tuple[int, int]:
    """The array as rows along its last axis; a last axis of one element gives no scale, so the whole is one row."""
    last = shape[-1] if shape else 1
    total = int(np.prod(shape))
    return (total // last, last) if last > 1 else (1, total)


def _chunks(shape: tuple[int, ...]) -> Iterator[tuple[slice, slice]]:
    """Blocks of bounded size, in row order."""
    height, width = shape
    columns = min(width, _CHUNK_ELEMENTS)
    rows = max(1, _CHUNK_ELEMENTS // columns)
    for top in range(0, height, rows):
        for left in range(0, width, columns):
            yield slice(top, min(top + rows, height)), slice(left, min(left + columns, width))


def _mismatches(shape: tuple[int, ...], first: list[tuple[int, float, float]]) -> tuple[Mismatch, ...]:
    shown = sorted(first)[:_SHOWN]
    return tuple(Mismatch(tuple(map(int, np.unravel_index(at, shape))), got, want) for at, got, want in shown)


def _wrong(name: str, wrong: int, total: int, first: tuple[Mismatch, ...], margin: float) -> str:
    one = first[0]
    index = ", ".join(map(str, one.index))
    over = "" if margin == inf else f", worst {margin:.3g} times its limit"
    return f"{name}: {wrong} of {total} elements are wrong{over}; first {name}[{index}]: got {one.got:.9g}, want {one.want:.9g}"
