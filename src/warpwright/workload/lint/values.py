"""What is wrong with the expected values of one case."""

from collections.abc import Iterator

import numpy as np

from warpwright.workload.dtypes import element_type
from warpwright.workload.lint.evidence import CaseEvidence, as_written
from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.model import Workload
from warpwright.workload.values import Array


def value_findings(workload: Workload, evidence: CaseEvidence) -> list[LintFinding]:
    """NaN or infinity from finite inputs, values beyond the dtype, inputs that are all zero."""
    return [*_nonfinite(workload, evidence), *_zero_inputs(evidence)]


def _nonfinite(workload: Workload, evidence: CaseEvidence) -> Iterator[LintFinding]:
    if not all(_finite(array) for array in evidence.arguments.inputs.values()):
        return
    for output in workload.outputs:
        if not element_type(output.dtype).is_float:
            continue
        expected = evidence.expected[output.name]
        bad = ~np.isfinite(expected)
        if bad.any():
            place = tuple(int(at) for at in np.argwhere(bad)[0])
            yield LintFinding(
                Severity.ERROR,
                f"the reference gives {expected[place]} at {output.name}{list(place)} ({int(bad.sum())} such elements) "
                "from finite inputs",
                evidence.case.name,
            )
            continue
        over = ~np.isfinite(as_written(expected, output.dtype).astype(np.float64))
        if over.any():
            yield LintFinding(
                Severity.WARNING,
                f"{int(over.sum())} expected elements of {output.name} are beyond the range of {output.dtype}",
                evidence.case.name,
            )


def _zero_inputs(evidence: CaseEvidence) -> Iterator[LintFinding]:
    for name, array in evidence.arguments.inputs.items():
        if array.size > 1 and not array.astype(np.float64).any():
            yield LintFinding(Severity.WARNING, f"input {name} is all zeros", evidence.case.name)


def _finite(array: Array) -> bool:
    return not element_type(array.dtype.name).is_float or bool(np.isfinite(array.astype(np.float64)).all())
