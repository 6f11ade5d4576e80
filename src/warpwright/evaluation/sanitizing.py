"""The sanitizer gate: a finalist's smallest check case under compute-sanitizer, in the harness's `run-once` process."""

from collections.abc import Sequence
from dataclasses import replace

from warpwright.candidate.candidate import Candidate
from warpwright.device.protocol import RunOnceDevice
from warpwright.evaluation.evaluator import Evaluator
from warpwright.profiler.sanitizer.check import sanitize
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.profiler.sanitizer.report import NOT_APPLICABLE, SanitizerReport
from warpwright.workload.model import Case, CaseKind, DeviceKind, Workload
from warpwright.workload.shapes import case_bytes

_DEFAULT_OPTIONS = SanitizerOptions()


def sanitize_candidate(
    evaluator: Evaluator,
    candidate: Candidate,
    case: Case | None = None,
    options: SanitizerOptions = _DEFAULT_OPTIONS,
) -> SanitizerReport:
    """What the tools say of a verified candidate. case: None = the smallest check case of this kind of device.

    On the emulator `NOT_APPLICABLE`. Raises: InfrastructureError if the device fails.
    """
    device = evaluator.device
    if device.kind is DeviceKind.EMULATOR:
        return NOT_APPLICABLE
    if not isinstance(device, RunOnceDevice):
        return SanitizerReport(reason=f"{device.name} hands out no run that a tool could watch")
    chosen = case or smallest_case(evaluator.workload, device.kind)
    request = evaluator.run_requests(candidate, [chosen])[chosen.name]
    return replace(sanitize(device, request, options), case=chosen.name)


def smallest_case(workload: Workload, kind: DeviceKind) -> Case:
    """The check case with the fewest bytes; a perf case where the workload checks none on such a device."""
    cases: Sequence[Case] = workload.cases_on(kind, CaseKind.CHECK) or workload.cases_on(kind)
    return min(cases, key=lambda case: case_bytes(workload, case))
