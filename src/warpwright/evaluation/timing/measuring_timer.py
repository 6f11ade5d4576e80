"""Times cases on hardware, believed only after the outputs of timed launches were compared."""

from dataclasses import dataclass, replace
from functools import partial

from warpwright.benchmark.empty_launch import EmptyLaunches
from warpwright.benchmark.floors import Zone, measured_floors
from warpwright.benchmark.measure import Single, measure_single, screening_counts, timing_of
from warpwright.benchmark.schedule import FULL, Counts
from warpwright.benchmark.series import Stream, TimedCase
from warpwright.device.measurement import CheckedLaunch
from warpwright.device.measuring import Contestant, MeasuringDevice
from warpwright.device.protocol import Faulted, Timing
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import CaseEvaluation
from warpwright.evaluation.timing.floor_failure import floor_failure
from warpwright.evaluation.timing.memory_failure import memory_failure
from warpwright.evaluation.timing.timed_cases import TimedCases
from warpwright.evaluation.timing.timed_fault import timed_failure
from warpwright.evaluation.timing.timed_outputs import check_outputs
from warpwright.evaluation.timing.timer import Taken, Timed, TimedSubject
from warpwright.verifier.evidence import case_text
from warpwright.verifier.host_values import HostValues
from warpwright.workload.floor import case_floor


@dataclass(frozen=True, slots=True)
class MeasuringTimer:
    """Times cases of one workload on one GPU."""

    values: HostValues
    device: MeasuringDevice
    cases: TimedCases
    empties: EmptyLaunches

    def take(self, found: CaseEvaluation, subject: TimedSubject) -> Taken:
        """10 + 100 launches of one case (M1), a few in a search (M6), in the process that the device has.

        Outputs are compared when the case is judged. Raises: InfrastructureError if the device fails, WorkloadError if
        `make_inputs` does.
        """
        case = subject.case
        timed, counts = self._timed_case(subject)
        single = measure_single(
            self.device,
            Contestant(subject.program, subject.plan),
            timed,
            measured_floors(self.values.workload, case, self.device.spec),
            self.empties,
            Stream(self.cases.stream("time", subject.identity), counts),
        )
        if subject.last:
            self.device.rest()
        if isinstance(single, Faulted):
            failure = timed_failure(subject, single.fault)
            return Taken(lambda: failure, failed=True)
        kept_bytes = sum(array.nbytes for run in single.runs for kept in run.kept for array in kept.outputs.values())
        impossible = single.below is not None and single.below.zone is Zone.HARD
        failed = impossible or not single.samples_us or not single.proved
        return Taken(partial(self._judge, found, subject, single), kept_bytes, failed=failed)

    def _judge(self, found: CaseEvaluation, subject: TimedSubject, single: Single) -> Timed | Failure:
        checked: tuple[CheckedLaunch, ...] = ()
        for series in single.runs:
            verdict = check_outputs(self.values, subject.case, series)
            if isinstance(verdict, Failure):
                return verdict
            checked = verdict
        return self._judged(found, subject, single, checked)

    def _timed_case(self, subject: TimedSubject) -> tuple[TimedCase, Counts]:
        if subject.screen:
            counts = screening_counts(subject.known_us)
            return self.cases.searched(subject.case, counts, subject.known_us), counts
        known = [us for us in (subject.known_us, subject.verified_us) if us is not None]
        timed = self.cases.of(subject.case, max(known, default=None))
        return timed, timed.planned(FULL, subject.known_us if subject.verified_us is None else subject.verified_us)

    def _judged(
        self, found: CaseEvaluation, subject: TimedSubject, single: Single, checked: tuple[CheckedLaunch, ...]
    ) -> Timed | Failure:
        if not single.samples_us or not single.proved:
            return Failure("timeout.timing", f"{case_text(subject.case)}: {_too_slow(single)}")
        if single.below is not None and single.below.zone is Zone.HARD:
            return floor_failure(subject.case, single.below, repeated=single.repeated)
        floor = case_floor(self.values.workload, subject.case, self.device.spec)
        timing = _with_checked(timing_of(self.device, single), checked)
        timed = Timed(replace(found, timing=timing, floor_us=floor.us, floor_binding=floor.binding))
        if single.remembered is not None:
            return replace(timed, question=memory_failure(subject.case, single.remembered))
        if single.below is None:
            return timed
        return replace(timed, question=floor_failure(subject.case, single.below, repeated=single.repeated))


def _too_slow(single: Single) -> str:
    limit_s, counts, done = single.case.time_limit_s, single.series.counts, len(single.samples_us)
    launches = f"all {counts.warmups + counts.measured} launches of a case"
    if not done:
        return f"no measured launch within {limit_s:.3g} s, the limit for {launches}"
    return (
        f"{done} of {counts.measured} measured launches within {limit_s:.3g} s, the limit for {launches}. Those whose outputs "
        "are compared, the last one among them, did not all run, and without them a time proves nothing. Every launch must "
        "take about as long as in verification."
    )


def _with_checked(timing: Timing, checked: tuple[CheckedLaunch, ...]) -> Timing:
    measurement = timing.measurement
    return timing if measurement is None else replace(timing, measurement=replace(measurement, checked=checked))
