"""The lint as a whole (`verification.md` section 8)."""

from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.units import MIB, format_bytes
from warpwright.workload.lint.evidence import gather
from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.lint.mutants import mutant_findings
from warpwright.workload.lint.plan import plan_findings
from warpwright.workload.lint.properties import property_findings
from warpwright.workload.lint.sensitivity import sensitivity_findings
from warpwright.workload.lint.trivial import trivial_findings
from warpwright.workload.lint.values import value_findings
from warpwright.workload.model import Case, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.shapes import case_bytes

_LARGEST_BYTES = 32 * MIB


def lint(workload: Workload, oracle: Oracle, gpu: GpuSpec | None = None) -> list[LintFinding]:
    """Everything that would make a result untrustworthy, worst first.

    gpu: target of the launch-bound and memory checks; without it they are left out. Cases above 32 MiB are not run.
    Raises: WorkloadError if the oracle fails.
    """
    by_size = sorted(workload.cases, key=lambda case: case_bytes(workload, case))
    examined = [case for case in by_size if case_bytes(workload, case) <= _LARGEST_BYTES] or by_size[:1]
    cases = [gather(workload, case, oracle) for case in examined]  # smallest first: most questions end there
    findings = plan_findings(workload, gpu)
    for evidence in cases:
        findings += value_findings(workload, evidence)
    findings += trivial_findings(workload, cases, oracle)
    findings += sensitivity_findings(workload, cases, oracle)
    findings += mutant_findings(workload, cases, oracle)
    findings += property_findings(workload, cases, oracle)
    findings += [_left_out(workload, case) for case in by_size if case not in examined]
    order = list(Severity)
    return sorted(findings, key=lambda finding: order.index(finding.severity))


def _left_out(workload: Workload, case: Case) -> LintFinding:
    needed, limit = format_bytes(case_bytes(workload, case)), format_bytes(_LARGEST_BYTES)
    return LintFinding(Severity.NOTE, f"not examined: its arrays have {needed}, more than {limit}", case.name)
