"""Compares what a candidate wrote with what the oracle expects: the one comparator (`verification.md` V10 to V14)."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf, sqrt
from typing import Protocol

import numpy as np

from warpwright.workload.comparison.elementwise import SHOWN, Sums, differences, measure
from warpwright.workload.comparison.tolerance import SCALE_ELEMENTS, Budget, budget
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import ArrayParameter, Case, Workload
from warpwright.workload.oracle.verdict import CustomVerdict
from warpwright.workload.values import Array, Comparison, Mismatch

LEAST_FOR_RMS = SCALE_ELEMENTS
"""Elements of an output from which its RMS error is limited."""


class ComparingOracle(Protocol):
    """The oracle, as far as the comparator needs it."""

    @property
    def compares(self) -> bool:
        """True if the workload brings its own `compare`."""
        ...

    def compare(self, case: Case, actual: Mapping[str, Array], expected: Mapping[str, Array]) -> CustomVerdict:
        """The verdict of the workload's own `compare`."""
        ...

    def scales(self, case: Case) -> Mapping[str, float]:
        """Typical size of the elements of outputs that are too small to show it."""
        ...


def compare_case(
    workload: Workload, case: Case, actual: Mapping[str, Array], expected: Mapping[str, Array], oracle: ComparingOracle
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
    scales = oracle.scales(case)
    limits = {output.name: _limits(workload, output, case, scales.get(output.name, 0.0)) for output in outputs}
    return tuple(
        compare_output(output, actual[output.name], expected[output.name], limits[output.name]) for output in outputs
    )


def _limits(workload: Workload, output: ArrayParameter, case: Case, least_scale: float) -> Budget:
    return replace(budget(workload, output, case.dims), least_scale=least_scale)


def compare_output(parameter: ArrayParameter, actual: Array, expected: Array, limits: Budget) -> Comparison:
    """All elements of one output: |got - want| <= atol + rtol |want|, then the relative RMS error of the whole.

    NaN must stand where NaN is expected, infinities by sign; an expected value beyond the dtype's range is an infinity.
    """
    broken = _form(parameter, actual, expected)
    if broken is not None:
        return broken
    got, want = actual.reshape(_rows(actual.shape)), expected.reshape(_rows(actual.shape))
    if limits.exact:
        return _exact(parameter, actual.shape, differences(got, want))
    return _verdict(parameter, actual.shape, measure(element_type(parameter.dtype), got, want, limits), limits)


def _verdict(parameter: ArrayParameter, shape: tuple[int, ...], sums: Sums, limits: Budget) -> Comparison:
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


def _rms_margin(sums: Sums, limits: Budget, total: int) -> float:
    """Relative RMS error over its limit; an explicit absolute tolerance is granted to every element here too.

    Fewer elements show no systematic loss: one of them that is small by cancellation would decide alone.
    """
    if limits.rms_ratio is None or sums.error_squares == 0.0 or total < LEAST_FOR_RMS:
        return 0.0
    allowed = limits.rms_ratio * sqrt(sums.want_squares) + limits.atol * sqrt(total)
    return sqrt(sums.error_squares) / allowed if allowed else inf


def _exact(parameter: ArrayParameter, shape: tuple[int, ...], sums: Sums) -> Comparison:
    total = int(np.prod(shape))
    if not sums.wrong:
        return _agreed(parameter.name, total)
    mismatches = _mismatches(shape, sums.first)
    message = _wrong(parameter.name, sums.wrong, total, mismatches, inf)
    return _refused(parameter.name, sums.wrong, total, "mismatch", message, mismatches)


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


def _rows(shape: tuple[int, ...]) -> tuple[int, int]:
    """The array as rows along its last axis; a last axis of one element gives no scale, so the whole is one row."""
    last = shape[-1] if shape else 1
    total = int(np.prod(shape))
    return (total // last, last) if last > 1 else (1, total)


def _mismatches(shape: tuple[int, ...], first: list[tuple[int, float, float]]) -> tuple[Mismatch, ...]:
    shown = sorted(first)[:SHOWN]
    return tuple(Mismatch(tuple(map(int, np.unravel_index(at, shape))), got, want) for at, got, want in shown)


def _wrong(name: str, wrong: int, total: int, first: tuple[Mismatch, ...], margin: float) -> str:
    one = first[0]
    index = ", ".join(map(str, one.index))
    over = "" if margin == inf else f", worst {margin:.3g} times its limit"
    return f"{name}: {wrong} of {total} elements are wrong{over}; first {name}[{index}]: got {one.got:.9g}, want {one.want:.9g}"
