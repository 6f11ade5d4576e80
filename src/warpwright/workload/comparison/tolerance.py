"""How far an output may be from the expected values.

With u = unit roundoff of the output, a = that of the accumulator (float32 for narrower types, else the output's own) and
L = length of the longest sum behind one element:

    rtol = 2 u + 16 a + 2 a sqrt(L)       atol = (2 u + 4 a sqrt(L)) * scale       rms <= u + 8 a sqrt(L)

`scale` is the root mean square of the expected values along the last axis, of 64 neighbours at least; where an output has
fewer elements (SCALE_ELEMENTS), over several draws of the case's values (`scales.py`). The 4 is calibrated:
one fp32 accumulator over 256 normal terms, the plainest honest kernel, used up to 0.57 of the budget with a 2 (65,536
elements); an honest kernel shall stay below half, and the next lower precision must still fail
(tests/workload/comparison/test_comparator.py holds both).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod, sqrt

from warpwright.candidate.expressions import evaluate
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import ArrayParameter, Workload
from warpwright.workload.shapes import shape_of

SCALE_ELEMENTS = 64
"""Fewest expected values behind one scale."""
_FLOAT32_ROUNDOFF = 2.0**-24
_FLOAT64_RTOL = 1e-12
_MAX_GUESSED_REDUCTION = 4096


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one output in one case. Either scale_ratio (times the scale of the row) or atol is the absolute part.

    rms_ratio: limit of the relative RMS error of the whole output; None: not limited.
    exact: integers and bools, compared bit for bit.
    least_scale: what the scale of a row is at least, for outputs that are too small to show one; how far it may be above the
    row's own is limited where it is applied.
    """

    rtol: float
    atol: float
    scale_ratio: float
    rms_ratio: float | None
    exact: bool
    least_scale: float = 0.0


EXACT = Budget(0.0, 0.0, 0.0, None, exact=True)


def budget(workload: Workload, parameter: ArrayParameter, dims: Mapping[str, int]) -> Budget:
    """The limits of one output under these dims."""
    tolerance = workload.tolerance.of(parameter.name)
    element = element_type(parameter.dtype)
    if not element.is_float:
        if parameter.name not in workload.tolerance.by_output:
            return EXACT
        return Budget(tolerance.rtol or 0.0, tolerance.atol or 0.0, 0.0, None, exact=False)
    length = reduction_length(workload, parameter, dims)
    u = element.unit_roundoff
    a = min(u, _FLOAT32_ROUNDOFF)
    growth = a * sqrt(length)
    floor = _FLOAT64_RTOL if element.name == "float64" else 0.0
    rtol = tolerance.rtol if tolerance.rtol is not None else max(2 * u + 16 * a + 2 * growth, floor)
    scale_ratio = 0.0 if tolerance.atol is not None else max(2 * u + 4 * growth, floor)
    rms_ratio = max(u + 8 * growth, floor)
    if tolerance.rtol is not None:
        rms_ratio = max(rms_ratio, tolerance.rtol)
    return Budget(rtol, tolerance.atol or 0.0, scale_ratio, rms_ratio, exact=False)


def reduction_length(workload: Workload, parameter: ArrayParameter, dims: Mapping[str, int]) -> int:
    """Length of the longest sum behind one element of an output.

    `[tolerance] reduction`, else from the shapes: the axes that an input has and the output lacks; without such axes
    the last axis of an output of two or more dimensions, at most 4096 (a row operation, or none).
    """
    text = workload.tolerance.of(parameter.name).reduction or workload.tolerance.reduction
    if text is not None:
        return max(evaluate(text, dims), 1)
    contracted = [
        prod(
            size for axis, size in zip(source.shape, shape_of(source, dims), strict=True) if axis not in parameter.shape
        )
        for source in workload.inputs
    ]
    longest = max(contracted, default=1)
    if longest > 1:
        return longest
    shape = shape_of(parameter, dims)
    return min(shape[-1], _MAX_GUESSED_REDUCTION) if len(shape) > 1 else 1
