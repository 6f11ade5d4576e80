"""Answers that need no kernel must be refused (`verification.md` V29)."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from warpwright.workload.dtypes import element_type
from warpwright.workload.lint.evidence import CaseEvidence, accepted_everywhere, survives
from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array

PRECISION = "precision"
"""Rule of the finding that a lower precision goes unseen."""
Answer = Callable[[CaseEvidence], Mapping[str, Array] | None]
_ADVICE = "tighten [tolerance] or use inputs that tell them apart"
# A mantissa one step below the dtype's, rounded once: what a whole computation in that precision cannot be better than.
_LOWER_PRECISION = {
    "float64": ("float32", 23),
    "float32": ("tf32", 10),
    "float16": ("bfloat16", 7),
    "bfloat16": ("fp8", 3),
}


def trivial_findings(workload: Workload, cases: list[CaseEvidence], oracle: Oracle) -> list[LintFinding]:
    """Zeros, ones, the mean, a copied input, another seed's result, the next lower precision: no case refuses them."""
    findings = [*_constants(workload, cases)]
    findings += [
        LintFinding(Severity.ERROR, f"every case accepts {name}: {_ADVICE}")
        for name, answer in _answers(workload).items()
        if accepted_everywhere(workload, cases, answer, oracle)
    ]
    return [*findings, *_precision(workload, cases, oracle)]


def _answers(workload: Workload) -> dict[str, Answer]:
    answers: dict[str, Answer] = {
        "an output of zeros": lambda evidence: {n: np.zeros_like(e) for n, e in evidence.expected.items()},
        "an output of ones": lambda evidence: {n: np.ones_like(e) for n, e in evidence.expected.items()},
        "the mean of the output everywhere": _mean,
        "the result of another seed": lambda evidence: evidence.other_expected,
    }
    for source in workload.inputs:
        answers[f"a copy of input {source.name}"] = _copy_of(workload, source.name)
    return answers


def _mean(evidence: CaseEvidence) -> Mapping[str, Array] | None:
    if all(expected.size == 1 for expected in evidence.expected.values()):
        return None  # the mean of one element is the right answer
    return {name: np.full_like(expected, _finite_mean(expected)) for name, expected in evidence.expected.items()}


def _finite_mean(expected: Array) -> float:
    values = expected[np.isfinite(expected)] if expected.dtype.kind == "f" else expected
    return float(values.mean()) if values.size else 0.0


def _copy_of(workload: Workload, source: str) -> Answer:
    def answer(evidence: CaseEvidence) -> Mapping[str, Array] | None:
        given = evidence.arguments.inputs[source]
        if any(given.shape != evidence.expected[output.name].shape for output in workload.outputs):
            return None
        return {output.name: given.astype(np.float64) for output in workload.outputs}

    return answer


def _constants(workload: Workload, cases: list[CaseEvidence]) -> Iterator[LintFinding]:
    for output in workload.outputs:
        several = [evidence for evidence in cases if evidence.expected[output.name].size > 1]
        if several and all(np.ptp(_known(evidence.expected[output.name])) == 0 for evidence in several):
            yield LintFinding(Severity.ERROR, f"output {output.name} holds one and the same value in every case")


def _known(expected: Array) -> Array:
    finite = expected[np.isfinite(expected)] if expected.dtype.kind == "f" else expected.astype(np.float64)
    return finite if finite.size else np.zeros(1)


def _precision(workload: Workload, cases: list[CaseEvidence], oracle: Oracle) -> Iterator[LintFinding]:
    for output in workload.outputs:
        if not element_type(output.dtype).is_float or workload.policy.lower_precision:
            continue
        name, bits = _LOWER_PRECISION[output.dtype]
        if survives(workload, cases, output.name, partial(_rounded, bits=bits), oracle):
            message = f"every case accepts {output.name} rounded to {name}: the tolerance sees no loss of precision"
            yield LintFinding(Severity.WARNING, message, rule=PRECISION)


def _rounded(values: Array, bits: int) -> Array:
    """float64 values with a mantissa of `bits` bits, round to nearest."""
    mantissa, exponent = np.frexp(values)
    rounded: Array = np.ldexp(np.rint(np.ldexp(mantissa, bits + 1)), exponent - bits - 1)
    return rounded
