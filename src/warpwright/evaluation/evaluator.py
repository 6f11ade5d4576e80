"""One candidate through every gate: plan, policy, compile, limits, verify, time, score, decide."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from warpwright.candidate.candidate import Candidate
from warpwright.compiler.compiler import Compiler
from warpwright.device.protocol import Device
from warpwright.evaluation.build import build, check_build
from warpwright.evaluation.conclusion import conclude
from warpwright.evaluation.course import Course, StageListener
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.evaluation.plans import resolve_plans
from warpwright.evaluation.policy import check_policy
from warpwright.evaluation.timer import Timer
from warpwright.units import MIB, format_bytes
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import SeedPool
from warpwright.verifier.verify import Verifier
from warpwright.workload.model import Case, CaseKind, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.shapes import case_bytes


@dataclass(frozen=True, slots=True)
class EvaluatorOptions:
    """seeds_per_case: verified per attempt, the case's own first (V17). time_limit_s: wall clock of one run of a plan.

    sample_gpu_cases: on the emulator, also estimate cases of `on = "gpu"` from sampled blocks (they never count).
    sample_limit_bytes: arrays of a case larger than this are not sampled.
    """

    seeds_per_case: int = 3
    time_limit_s: float = 30.0
    sample_gpu_cases: bool = False
    sample_limit_bytes: int = 256 * MIB


class Evaluator:
    """Evaluates candidates of one workload on one device. Owns what it is given: closing it closes all three.

    A candidate's failure is data. Raises: WorkloadError if the oracle fails, InfrastructureError if the machine does.
    """

    def __init__(
        self,
        workload: Workload,
        device: Device,
        compiler: Compiler,
        oracle: Oracle,
        seeds: SeedPool,
        options: EvaluatorOptions | None = None,
    ) -> None:
        self._workload = workload
        self._device = device
        self._compiler = compiler
        self._oracle = oracle
        self._seeds = seeds
        self._options = options or EvaluatorOptions()
        values = HostValues(workload, oracle)
        self._timer = Timer(values, device, self._options.time_limit_s)
        self._verifier = Verifier(values, device, self._options.time_limit_s)

    @property
    def workload(self) -> Workload:
        """What candidates must compute."""
        return self._workload

    @property
    def device(self) -> Device:
        """Where candidates run."""
        return self._device

    @property
    def oracle(self) -> Oracle:
        """What computes the expected outputs."""
        return self._oracle

    def evaluate(
        self,
        candidate: Candidate,
        *,
        against: Evaluation | None = None,
        screen: bool = False,
        on_stage: StageListener | None = None,
    ) -> Evaluation:
        """Everything about one candidate.

        against: the incumbent's evaluation; without one, or if it did not pass, the outcome of a correct candidate is
        `passed`. screen: verify the check cases with one seed and only time the perf cases; the outcome is then
        `passed.screened`, which can never be an incumbent.
        """
        course = Course(candidate, self._cases(), on_stage)
        failure = self._prepare(course) or self._verify(course, screen) or self._time(course)
        if failure is not None:
            return course.failed(failure)
        if self._options.sample_gpu_cases:
            self._sample(course)
        return conclude(course, against, screen=screen)

    def verify_only(
        self,
        candidate: Candidate,
        cases: Sequence[Case],
        purpose: str,
        seeds: int,
        on_stage: StageListener | None = None,
    ) -> Evaluation:
        """Verify any cases with fresh seeds and time nothing (hidden cases, the final check). purpose: names the seeds."""
        course = Course(candidate, cases, on_stage)
        failure = self._prepare(course)
        for case in cases:
            failure = failure or self._verify_case(course, case, self._seeds.fresh(case, purpose, seeds))
        if failure is not None:
            return course.failed(failure)
        return course.result(Outcome.PASSED, "verified", f"passed {len(cases)} cases with {seeds} fresh seeds each")

    def close(self) -> None:
        """End the device's, the compiler's and the oracle's workers."""
        self._device.close()
        self._compiler.close()
        self._oracle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cases(self) -> tuple[Case, ...]:
        kind = self._device.kind
        return (*self._workload.cases_on(kind, CaseKind.CHECK), *self._workload.cases_on(kind, CaseKind.PERF))

    def _prepare(self, course: Course) -> Failure | None:
        """Plan, policy, compile, limits. Plans of cases for the other kind of device must be legal too."""
        course.begin("plan")
        elsewhere = [case for case in self._workload.cases if case not in course.cases]
        plans = resolve_plans(course.candidate, self._workload, [*course.cases, *elsewhere], self._device.spec)
        if isinstance(plans, Failure):
            return plans
        course.plans = plans
        refused = check_policy(self._workload, course.candidate)
        if refused is not None:
            return refused
        course.begin("compile")
        with course.clock("compile"):
            arch = self._device.target.arch
            built, failure = build(course.candidate, plans, course.cases, self._compiler, arch)
        course.built = built
        return failure or check_build(self._workload, plans, course.cases, built, self._device.spec)

    def _verify(self, course: Course, screen: bool) -> Failure | None:
        cases = [case for case in course.cases if not (screen and case.kind is CaseKind.PERF)]
        count = 1 if screen else self._options.seeds_per_case
        for case in cases:
            failure = self._verify_case(course, case, self._seeds.draw(case, course.candidate.identity, count))
            if failure is not None:
                return failure
        return None

    def _verify_case(self, course: Course, case: Case, seeds: Sequence[int]) -> Failure | None:
        course.begin(f"verify {case.name}")
        with course.clock("verify"):
            verdict = self._verifier.verify(course.program(case), course.plans[case.name], case, seeds)
        message = verdict.message or " ".join(verdict.notes)
        course.found[case.name] = replace(
            course.found[case.name], passed=verdict.passed, comparisons=verdict.comparisons, message=message
        )
        return None if verdict.outcome is None else Failure(verdict.outcome, verdict.message, verdict.line)

    def _time(self, course: Course) -> Failure | None:
        for case in course.cases:
            if case.kind is not CaseKind.PERF:
                continue
            course.begin(f"time {case.name}")
            with course.clock("time"):
                timed = self._timer.timed(course.found[case.name], course.program(case), course.plans[case.name], case)
            if isinstance(timed, Failure):
                return timed
            course.found[case.name] = timed
        return None

    def _sample(self, course: Course) -> None:
        """Estimate cases for a GPU from sampled blocks; what was not run in full never counts as passed."""
        for case in self._workload.cases:
            if case in course.cases or case.kind is not CaseKind.PERF:
                continue
            course.begin(f"sample {case.name}")
            with course.clock("sample"):
                course.found[case.name] = self._sampled(course, case)

    def _sampled(self, course: Course, case: Case) -> CaseEvaluation:
        unknown = CaseEvaluation(case.name, case.kind, None)
        size, limit = case_bytes(self._workload, case), self._options.sample_limit_bytes
        if size > limit:
            text = (
                f"not run: its arrays take {format_bytes(size)}, more than the {format_bytes(limit)} that are sampled"
            )
            return replace(unknown, message=text)
        built, failure = build(course.candidate, course.plans, [case], self._compiler, self._device.target.arch)
        if failure is not None:
            return replace(unknown, message=f"not run: {failure.message}")
        timed = self._timer.timed(unknown, built.programs[case.name], course.plans[case.name], case)
        if isinstance(timed, Failure):
            return replace(unknown, message=f"not run: {timed.message}")
        return replace(timed, message="not verified here: estimated from sampled blocks, never counted as passed")
