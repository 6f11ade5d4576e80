"""Cases small and round enough to be worked out by hand, with what the oracle makes of them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from warpwright.candidate.expressions import ExpressionError
from warpwright.errors import WorkloadError
from warpwright.workload.arguments import make_arguments
from warpwright.workload.distributions import DistributionError
from warpwright.workload.model import Case, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.shapes import case_elements
from warpwright.workload.values import Array

_SIZES = ((2, 3, 2, 2), (1, 4, 1, 1), (3, 2, 2, 2))
"""Sizes of the dims, round and round; moved into their ranges."""
_MOST_ELEMENTS = 64
_SEED = 11


def worked_examples(workload: Workload, oracle: Oracle) -> dict[str, Any]:
    """Up to three tiny cases as JSON. Inputs have one decimal.

    examples: dims, scalars, inputs and outputs of each. examples_failed: sizes, and why nothing could be worked out for them.
    Both are empty if no legal size is small enough.
    """
    found: list[dict[str, Any]] = []
    failed: list[str] = []
    for case in _tiny_cases(workload):
        try:
            made = make_arguments(workload, case, _SEED, oracle)
            inputs = MappingProxyType({name: _rounded(array) for name, array in made.inputs.items()})
            outputs = oracle.expected(case, replace(made, inputs=inputs))
        except (WorkloadError, ExpressionError, DistributionError) as error:
            sizes = ", ".join(f"{name} = {value}" for name, value in case.dims.items())
            failed.append(f"{sizes}: {error}")
            continue
        scalars = {s.name: made.scalars[s.name].item() for s in workload.scalars if s.name not in workload.dims}
        found.append(
            {"dims": dict(case.dims), "scalars": scalars, "inputs": _listed(inputs), "outputs": _listed(outputs)}
        )
    return {"examples": found, "examples_failed": failed}


def _tiny_cases(workload: Workload) -> Iterator[Case]:
    seen: list[dict[str, int]] = []
    for position, sizes in enumerate(_SIZES):
        limits = workload.dims.items()
        dims = {n: min(max(sizes[i % len(sizes)], r.low), r.high) for i, (n, r) in enumerate(limits)}
        case = replace(workload.cases[0], name=f"tiny{position}", dims=MappingProxyType(dims))
        if dims in seen or not _is_small(workload, case):
            continue
        seen.append(dims)
        yield case


def _is_small(workload: Workload, case: Case) -> bool:
    try:
        return case_elements(workload, case) <= _MOST_ELEMENTS
    except ExpressionError:
        return False


def _rounded(array: Array) -> Array:
    if array.dtype.kind in "iub":
        return array
    return np.round(array.astype(np.float64), 1)


def _listed(arrays: Mapping[str, Array]) -> dict[str, Any]:
    return {name: _plain(np.asarray(array)) for name, array in arrays.items()}


def _plain(array: Array) -> Any:
    """Nested lists; six digits; what is not finite as text."""
    if array.dtype.kind != "f":
        return array.tolist()
    flat = [float(f"{v:.6g}") if np.isfinite(v) else str(v) for v in array.reshape(-1).tolist()]
    return _nested(flat, array.shape)


def _nested(flat: list[Any], shape: tuple[int, ...]) -> Any:
    if len(shape) <= 1:
        return flat
    step = len(flat) // shape[0]
    return [_nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
