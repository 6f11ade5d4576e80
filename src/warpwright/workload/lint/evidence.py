"""What one case looks like under two seeds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from warpwright.workload.arguments import make_arguments
from warpwright.workload.comparison.comparator import compare_case
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import Case, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array, CaseArguments

_OTHER_SEED = 0x5EED


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """Arguments and expected outputs of a case, and the same under another seed."""

    case: Case
    arguments: CaseArguments
    expected: Mapping[str, Array]
    other_arguments: CaseArguments
    other_expected: Mapping[str, Array]


def gather(workload: Workload, case: Case, oracle: Oracle) -> CaseEvidence:
    """Run the oracle twice. Raises: WorkloadError if it fails."""
    arguments = make_arguments(workload, case, case.seed, oracle)
    other = make_arguments(workload, case, case.seed ^ _OTHER_SEED, oracle)
    return CaseEvidence(case, arguments, oracle.expected(case, arguments), other, oracle.expected(case, other))


def accepts(workload: Workload, evidence: CaseEvidence, answer: Mapping[str, Array], oracle: Oracle) -> bool:
    """Whether the comparison would take `answer` (floats in float64) for the right result of the case."""
    stored = {output.name: as_written(answer[output.name], output.dtype) for output in workload.outputs}
    verdicts = compare_case(workload, evidence.case, stored, evidence.expected, oracle)
    return all(verdict.passed for verdict in verdicts)


def accepted_everywhere(
    workload: Workload,
    cases: list[CaseEvidence],
    answer: Callable[[CaseEvidence], Mapping[str, Array] | None],
    oracle: Oracle,
) -> bool:
    """Whether every case takes the answer; None means that the case has no such answer, which refuses it."""
    for evidence in cases:
        given = answer(evidence)
        if given is None or not accepts(workload, evidence, given, oracle):
            return False
    return True


def survives(
    workload: Workload, cases: list[CaseEvidence], output: str, spoil: Callable[[Array], Array], oracle: Oracle
) -> bool:
    """Whether every case that the mutant changes accepts it; False if it changes none."""
    changed = False
    for evidence in cases:
        right = evidence.expected[output]
        wrong = spoil(right.copy())
        if np.array_equal(wrong, right, equal_nan=right.dtype.kind == "f"):
            continue
        if not accepts(workload, evidence, {**evidence.expected, output: wrong}, oracle):
            return False
        changed = True
    return changed


def as_written(values: Array, dtype: str) -> Array:
    """Values as a kernel would leave them in memory."""
    element = element_type(dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        written: Array = np.asarray(values).astype(element.numpy)
    return written
