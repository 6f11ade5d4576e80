"""The sanitizer gate: a small check case of a finalist under compute-sanitizer, in the harness's `run-once` process."""

from dataclasses import replace

from warpwright.candidate.candidate import Candidate
from warpwright.device.protocol import RunOnceDevice
from warpwright.evaluation.evaluator import Evaluator
from warpwright.profiler.sanitizer.check import sanitize
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.profiler.sanitizer.report import NOT_APPLICABLE, SanitizerReport
from warpwright.workload.model import Case, CaseKind, DeviceKind, Workload
from warpwright.workload.shapes import case_bytes

LEAST_BYTES = 4096
"""Of all arrays together. In a case of a few elements most threads do nothing, and a race needs two that do something."""

_DEFAULT_OPTIONS = SanitizerOptions()


def sanitize_candidate(
    evaluator: Evaluator,
    candidate: Candidate,
    case: Case | None = None,
    options: SanitizerOptions = _DEFAULT_OPTIONS,
) -> SanitizerReport:
    """What the tools say of a verified candidate. case: None = `sanitized_case`.

    On the emulator `NOT_APPLICABLE`. Raises: InfrastructureError if the device fails.
    """
    device = evaluator.device
    if device.kind is DeviceKind.EMULATOR:
        return NOT_APPLICABLE
    if not isinstance(device, RunOnceDevice):
        return SanitizerReport(reason=f"{device.name} hands out no run that a tool could watch")
    chosen = case or sanitized_case(evaluator.workload, device.kind)
    request = evaluator.run_requests(candidate, [chosen])[chosen.name]
    report = sanitize(device, request, options)
    return replace(report, case=chosen.name) if report.tools else report


def sanitized_case(workload: Workload, kind: DeviceKind) -> Case:
    """The smallest check case of at least `LEAST_BYTES`, or the largest if all are smaller.

    A perf case where the workload checks none on such a device.
    """
    cases = workload.cases_on(kind, CaseKind.CHECK) or workload.cases_on(kind)
    by_size = sorted(cases, key=lambda case: case_bytes(workload, case))
    return next((case for case in by_size if case_bytes(workload, case) >= LEAST_BYTES), by_size[-1])
