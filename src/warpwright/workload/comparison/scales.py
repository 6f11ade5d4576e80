"""How large the elements of a small output typically are: one element that is small by cancellation does not show it."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod, sqrt
from typing import Protocol

import numpy as np

from warpwright.workload.arguments import InputSource, make_arguments
from warpwright.workload.comparison.elementwise import greatest_scaled
from warpwright.workload.comparison.tolerance import SCALE_ELEMENTS, budget
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import ArrayParameter, Case, OracleKind, Workload
from warpwright.workload.shapes import case_elements, shape_of
from warpwright.workload.values import Array, CaseArguments

DRAWS = 3
"""Of the case's values, beside those that are compared. An honest sum of any length needs an element of at least a twentieth
of the usual size; the root mean square of four normal ones is below that once in 80,000 times."""
MOST_KERNEL_ELEMENTS = 1 << 20
"""Of all arrays of a case whose oracle is a kernel: on the emulator further runs of a larger one would take minutes."""


class ExpectedSource(InputSource, Protocol):
    """Where expected outputs come from: the oracle."""

    @property
    def workers(self) -> int:
        """How many calls can run at a time."""
        ...

    def expected(self, case: Case, arguments: CaseArguments) -> Mapping[str, Array]:
        """Every output by name, floats in float64."""
        ...


def draw_scales(workload: Workload, case: Case, oracle: ExpectedSource) -> dict[str, float]:
    """Output -> root mean square of its finite elements over DRAWS draws; only outputs that need it and have a default limit.

    Raises: WorkloadError if the oracle fails.
    """
    small = [output for output in workload.outputs if _needs_scale(workload, output, case)]
    runs_kernel = workload.oracle is OracleKind.KERNEL
    if not small or (runs_kernel and case_elements(workload, case) > MOST_KERNEL_ELEMENTS):
        return {}

    def draw(step: int) -> Mapping[str, Array]:
        return oracle.expected(case, make_arguments(workload, case, case.seed + 1 + step, oracle))

    with ThreadPoolExecutor(
        1 if runs_kernel else min(DRAWS, oracle.workers)
    ) as pool:  # a device is not for two threads
        draws = list(pool.map(draw, range(DRAWS)))
    return {output.name: _root_mean_square(output, [drawn[output.name] for drawn in draws]) for output in small}


def _needs_scale(workload: Workload, output: ArrayParameter, case: Case) -> bool:
    few = prod(shape_of(output, case.dims)) < SCALE_ELEMENTS
    return few and element_type(output.dtype).is_float and budget(workload, output, case.dims).scale_ratio > 0


def _root_mean_square(output: ArrayParameter, arrays: Sequence[Array]) -> float:
    """Of what the dtype can hold: a value beyond its range is an infinity, and has no size."""
    values = np.concatenate([array.astype(np.float64).reshape(-1) for array in arrays])
    held = values[np.abs(values) <= greatest_scaled(element_type(output.dtype))]
    return sqrt(float(np.mean(np.square(held)))) if held.size else 0.0
