"""Times the perf cases of a verified candidate, each beside the floor that physics sets it."""

from dataclasses import dataclass, replace

from warpwright.benchmark.score import CaseTime
from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.protocol import Device, Faulted, Program, TimeOutcome, TimeRequest, TimeSource, Timing
from warpwright.errors import InfrastructureError
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import CaseEvaluation
from warpwright.units import format_us
from warpwright.verifier.binding import device_arguments
from warpwright.verifier.evidence import case_text
from warpwright.verifier.fault_text import fault_text
from warpwright.verifier.host_values import HostValues
from warpwright.workload.floor import case_floor
from warpwright.workload.model import Case


@dataclass(frozen=True, slots=True)
class Timer:
    """Times cases of one workload on one device. time_limit_s: wall clock of one case."""

    values: HostValues
    device: Device
    time_limit_s: float

    def time(self, program: Program, plan: ResolvedPlan, case: Case) -> TimeOutcome:
        """One case with its own seed: an estimate is then the same in every session."""
        workload = self.values.workload
        return self.device.time(
            TimeRequest(
                program=program,
                plan=plan,
                arguments=device_arguments(workload, self.values.arguments(case, case.seed)),
                cold_cache=workload.cold_cache,
                time_limit_s=self.time_limit_s,
            )
        )

    def timed(
        self, found: CaseEvaluation, program: Program, plan: ResolvedPlan, case: Case
    ) -> CaseEvaluation | Failure:
        """What is known of the case, with its time and floor. Raises: InfrastructureError if an estimate is impossible."""
        outcome = self.time(program, plan, case)
        if isinstance(outcome, Faulted):
            fault = outcome.fault
            return Failure(fault.kind.value, fault_text(case, fault, program), fault.line)
        impossible = self._impossible(case, outcome)
        if impossible is not None:
            return impossible
        floor = case_floor(self.values.workload, case, self.device.spec)
        return replace(found, timing=outcome, floor_us=floor.us, floor_binding=floor.binding)

    def _impossible(self, case: Case, timing: Timing) -> Failure | None:
        """No kernel is faster than an empty launch; a measured time that is shows that it is not the kernel's (M31)."""
        least_us = self.device.spec.launch_overhead_us
        if not CaseTime(case.name, timing.median_us, least_us).below_floor:
            return None
        text = f"{case_text(case)}: {timing.median_us} us is less than an empty launch takes ({format_us(least_us)})"
        if timing.source is TimeSource.ESTIMATED:
            raise InfrastructureError(f"the cost model is at fault: {text}")
        return Failure("rejected.below_hard_floor", text)
