"""Right results spoilt in the ways in which kernels are wrong; each must be refused somewhere (`verification.md` V30)."""

from collections.abc import Callable, Mapping

import numpy as np

from warpwright.workload.lint.evidence import CaseEvidence, survives
from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array

_TILE = 32


def mutant_findings(workload: Workload, cases: list[CaseEvidence], oracle: Oracle) -> list[LintFinding]:
    """One warning for each mutant of an output that no case refuses."""
    return [
        LintFinding(Severity.WARNING, f"no case sees {output.name} with {name}")
        for output in workload.outputs
        for name, spoil in _MUTANTS.items()
        if survives(workload, cases, output.name, spoil, oracle)
    ]


def _last_dropped(values: Array) -> Array:
    values.reshape(-1)[-1] = 0
    return values


def _tail_dropped(values: Array) -> Array:
    """The part of the last axis that does not fill a tile."""
    length = values.shape[-1]
    if length > _TILE:
        values[..., length - length % _TILE :] = 0
    return values


def _halves_swapped(values: Array) -> Array:
    return np.roll(values.reshape(-1), values.size // 2).reshape(values.shape)


def _negated(values: Array) -> Array:
    return -values if values.dtype.kind in "fi" else values


_MUTANTS: Mapping[str, Callable[[Array], Array]] = {
    "its last element missing": _last_dropped,
    "the last partial tile missing": _tail_dropped,
    "every element shifted by one": lambda values: np.roll(values, 1, axis=-1),
    "its halves swapped": _halves_swapped,
    "its first axis reversed": lambda values: values[::-1],
    "the wrong sign": _negated,
}
