"""Inputs and scalars that may be ignored without any case noticing (`verification.md` V28)."""

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from warpwright.workload.dtypes import element_type
from warpwright.workload.lint.evidence import CaseEvidence, accepts
from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.shapes import pack_scalar


def sensitivity_findings(workload: Workload, cases: list[CaseEvidence], oracle: Oracle) -> list[LintFinding]:
    """One finding for each input and each float scalar whose value no case can see."""
    return [*_inputs(workload, cases, oracle), *_scalars(workload, cases, oracle)]


def _inputs(workload: Workload, cases: list[CaseEvidence], oracle: Oracle) -> Iterator[LintFinding]:
    for source in workload.inputs:
        if not any(_sees_input(workload, evidence, source.name, oracle) for evidence in cases):
            yield LintFinding(
                Severity.ERROR,
                f"input {source.name} can take other values without any case noticing: the reference does not use it, "
                "the tolerance hides it, or its values never vary",
            )


def _sees_input(workload: Workload, evidence: CaseEvidence, name: str, oracle: Oracle) -> bool:
    changed = MappingProxyType({**evidence.arguments.inputs, name: evidence.other_arguments.inputs[name]})
    answer = oracle.expected(evidence.case, replace(evidence.arguments, inputs=changed))
    return not accepts(workload, evidence, answer, oracle)


def _scalars(workload: Workload, cases: list[CaseEvidence], oracle: Oracle) -> Iterator[LintFinding]:
    """Integers are left out: they are mostly sizes, and a changed size is another case."""
    for scalar in workload.scalars:
        if not element_type(scalar.dtype).is_float or scalar.name in workload.dims:
            continue
        if not any(_sees_scalar(workload, evidence, scalar.name, oracle) for evidence in cases):
            yield LintFinding(
                Severity.WARNING,
                f"scalar {scalar.name} can be doubled without any case noticing: a kernel that ignores it passes",
            )


def _sees_scalar(workload: Workload, evidence: CaseEvidence, name: str, oracle: Oracle) -> bool:
    dtype = next(scalar.dtype for scalar in workload.scalars if scalar.name == name)
    value = float(evidence.arguments.scalars[name])
    changed = MappingProxyType({**evidence.arguments.scalars, name: pack_scalar(dtype, 2 * value or 1.0)})
    answer = oracle.expected(evidence.case, replace(evidence.arguments, scalars=changed))
    return not accepts(workload, evidence, answer, oracle)
