"""What the runs of one case with one seed leave behind; every check reads this and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.protocol import Modified
from warpwright.workload.model import ArrayParameter, Case, Role, Workload
from warpwright.workload.values import Array, CaseArguments, Comparison

POISONS = (0xFF, 0x7E)
"""Bytes that fill outputs and scratch: NaN in every float format, and a large finite value (V21)."""
GUARDS = (0xA5, 0x3C)
"""Bytes around every array, one for each poison: what lies beyond the arrays differs between the runs, too (V22)."""

SURFING_MARGIN = 0.5
"""A candidate within 2x of the budget is noted as surfing the tolerance (V14)."""


@dataclass(frozen=True, slots=True)
class PoisonedRun:
    """One run that reached its end. arrays: every output afterwards. comparisons: with the oracle.

    modified: inputs whose bytes the candidate changed. device_us: what it took, None = unknown; never a score.
    """

    poison: int
    arrays: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]
    guard: int = GUARDS[0]
    modified: tuple[Modified, ...] = ()
    device_us: float | None = None

    @property
    def passed(self) -> bool:
        """True if every output is within tolerance."""
        return all(comparison.passed for comparison in self.comparisons)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All runs of one (case, seed).

    runs: the first with POISONS[0] and GUARDS[0]; if there is a second, with POISONS[1] and GUARDS[1].
    other_guard: POISONS[0] with GUARDS[1], taken only where the two differ; equal to the first, it leaves old contents as
    the cause. repeat: the first once more, taken only where that differs, too: equal to the first, it leaves what lies
    beyond the arrays as the cause; else the result changes from run to run.
    secret_seed: False for the case's own seed, which the workload shows.
    """

    workload: Workload
    case: Case
    secret_seed: bool
    arguments: CaseArguments
    plan: ResolvedPlan
    runs: tuple[PoisonedRun, ...]
    other_guard: PoisonedRun | None = None
    repeat: PoisonedRun | None = None

    @property
    def where(self) -> str:
        """How messages begin: `case ragged (rows=3, cols=1000)`."""
        return case_text(self.case)

    def poisoned_outputs(self) -> tuple[ArrayParameter, ...]:
        """Outputs that a run finds poisoned: neither zeroed nor holding an input."""
        return tuple(a for a in self.workload.outputs if a.role is Role.OUT and not a.zeroed)


def case_text(case: Case) -> str:
    """A case as messages name it, with the dims and scalars that make it."""
    bound = ", ".join(f"{name}={value}" for name, value in (*case.dims.items(), *case.scalars.items()))
    return f"case {case.name} ({bound})" if bound else f"case {case.name}"


def same_bytes(left: Array, right: Array) -> bool:
    """True if two arrays hold the same bytes (NaN payloads and the sign of zero count)."""
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    word = np.uint64 if left.nbytes % 8 == 0 else np.uint8
    return bool((bytes_of(left).view(word) == bytes_of(right).view(word)).all())


def bytes_of(array: Array) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """The array's bytes, flat, without a copy where it is contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def same_outputs(workload: Workload, left: PoisonedRun, right: PoisonedRun) -> bool:
    """True if every output of two runs holds the same bytes."""
    return all(same_bytes(left.arrays[a.name], right.arrays[a.name]) for a in workload.outputs)


def worst_margin(comparison: Comparison) -> float:
    """The larger of the element and the RMS margin: 1 is the limit."""
    return max(comparison.margin, comparison.rms_margin)
