"""Times the perf cases of a verified candidate, each beside the floor that physics sets it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from warpwright.benchmark.score import CaseTime
from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.protocol import EstimatingDevice, Fault, Faulted, Program, TimeRequest, Timing
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
class TimedSubject:
    """A candidate's binary on one case. identity: of the candidate. known_us: the incumbent's time, None = unknown.

    verified_us: its own longest run in verification, None = unknown; for time limits only. screen: in a search, where fewer
    launches will do for long units. last: no further case of this candidate is timed.
    """

    program: Program
    plan: ResolvedPlan
    case: Case
    identity: str = ""
    known_us: float | None = None
    verified_us: float | None = None
    screen: bool = False
    last: bool = False


@dataclass(frozen=True, slots=True)
class Timed:
    """A case with its time. question: what a person must settle before the candidate can be promoted."""

    found: CaseEvaluation
    question: Failure | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A case that was timed. judge: what it says, with its time and floor; once. Raises: WorkloadError if the oracle fails.

    waiting_bytes: of outputs that are held until then. failed: it will be a failure, so nothing more need be timed.
    """

    judge: Callable[[], Timed | Failure]
    waiting_bytes: int = 0
    failed: bool = False


class Timer(Protocol):
    """Times cases of one workload on one device."""

    def take(self, found: CaseEvaluation, subject: TimedSubject) -> Taken:
        """Time one case. found: what is known of it. Raises: InfrastructureError if the device fails."""
        ...


@dataclass(frozen=True, slots=True)
class EstimatingTimer:
    """Asks a device that derives times from counters. time_limit_s: wall clock of one case."""

    values: HostValues
    device: EstimatingDevice
    time_limit_s: float

    def take(self, found: CaseEvaluation, subject: TimedSubject) -> Taken:
        """One case with its own seed: an estimate is then the same in every session."""
        timed = self._timed(found, subject)
        return Taken(lambda: timed, failed=isinstance(timed, Failure))

    def _timed(self, found: CaseEvaluation, subject: TimedSubject) -> Timed | Failure:
        workload, case = self.values.workload, subject.case
        outcome = self.device.time(
            TimeRequest(
                program=subject.program,
                plan=subject.plan,
                arguments=device_arguments(workload, self.values.arguments(case, case.seed)),
                cold_cache=workload.cold_cache,
                time_limit_s=self.time_limit_s,
            )
        )
        if isinstance(outcome, Faulted):
            return timing_failure(subject, outcome.fault)
        self._refuse_impossible(case, outcome)
        floor = case_floor(workload, case, self.device.spec)
        return Timed(replace(found, timing=outcome, floor_us=floor.us, floor_binding=floor.binding))

    def _refuse_impossible(self, case: Case, timing: Timing) -> None:
        """No kernel is faster than an empty launch (M31)."""
        least_us = self.device.spec.launch_overhead_us
        if CaseTime(case.name, timing.median_us, least_us).below_floor:
            raise InfrastructureError(
                f"the cost model is at fault: {case_text(case)}: {timing.median_us} us is less than an empty launch takes "
                f"({format_us(least_us)})"
            )


def timing_failure(subject: TimedSubject, fault: Fault) -> Failure:
    """A fault under the clock."""
    return Failure(fault.kind.value, fault_text(subject.case, fault, subject.program), fault.line)
