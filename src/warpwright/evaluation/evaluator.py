"""One candidate through every gate: plan, policy, compile, limits, verify, time, score, decide."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from warpwright.benchmark.figure import PairedFigure
from warpwright.benchmark.paired import PairedOptions
from warpwright.benchmark.score import speedup
from warpwright.candidate.candidate import Candidate
from warpwright.compiler.compiler import Compiler
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Device, Program, RunRequest, TimeSource, Timing
from warpwright.errors import InfrastructureError
from warpwright.evaluation.building.build import build, check_build
from warpwright.evaluation.building.plans import resolve_plans
from warpwright.evaluation.building.policy import check_policy
from warpwright.evaluation.conclusion import conclude, ranked_timings
from warpwright.evaluation.course import Course, Examined, StageListener
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.foresight import prefetch_values
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.evaluation.promotion.baseline import Evaluated
from warpwright.evaluation.promotion.comparison import NoFigure
from warpwright.evaluation.promotion.gate import Gate
from warpwright.evaluation.timing.clocks import open_clocks
from warpwright.evaluation.timing.in_turn import time_cases
from warpwright.evaluation.timing.limits import run_limit_s
from warpwright.evaluation.timing.timer import TimedSubject
from warpwright.units import MIB, format_bytes
from warpwright.verifier.binding import device_arguments
from warpwright.verifier.evidence import case_text
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import SeedPool
from warpwright.verifier.verify import Verifier
from warpwright.workload.model import Case, CaseKind, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.shapes import case_bytes


@dataclass(frozen=True, slots=True)
class EvaluatorOptions:
    """seeds_per_case: verified per attempt, the case's own first (V17). time_limit_s: wall clock of one run of a plan;
    None = by device and by what the incumbent takes. paired: the promotion gate of a GPU.

    sample_gpu_cases: on the emulator, also estimate cases of `on = "gpu"` from sampled blocks (they never count).
    sample_limit_bytes: arrays of a case larger than this are not sampled.
    """

    seeds_per_case: int = 3
    time_limit_s: float | None = None
    sample_gpu_cases: bool = False
    sample_limit_bytes: int = 256 * MIB
    paired: PairedOptions = field(default_factory=PairedOptions)


NOTABLE_SPEEDUP = 10.0
"""Beyond this a candidate is verified with further fresh seeds before its time is believed."""
NOTABLE_SEEDS = 2


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
        self._verifier = Verifier(values, device, run_limit_s(device.kind, self._options.time_limit_s))
        self._timer, comparison = open_clocks(values, device, seeds, self._options.time_limit_s, self._options.paired)
        self._gate = Gate(comparison, self._rebuilt)
        self._known_us: dict[str, float] = {}
        self._foreseen = False

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
        against: Evaluated | None = None,
        screen: bool = False,
        on_stage: StageListener | None = None,
        examined: Examined | None = None,
    ) -> Evaluation:
        """Everything about one candidate. examined: what `examine` found of it before; it is not done again.

        against: the incumbent; without one, or if it did not pass, the outcome of a correct candidate is `passed`. Where
        times are measured both are compiled and timed in a paired run. screen: verify the check cases with one seed and
        only time the perf cases, against nothing, with few launches where times are measured; the outcome is then
        `passed.screened`, which can never be an incumbent. Slow cases are timed like others: another may gain by the point.
        """
        begun = examined or self.build(candidate, on_stage)
        course, failure = begun.course, begun.failure
        self._learn(against)
        self._foresee(course)
        if not begun.timed:
            failure = failure or self._verify(course, screen) or self._time(course, screen)
        if not screen:
            failure = failure or self._verify_notable(course, against)
        if failure is not None:
            return course.failed(failure)
        if screen:
            return conclude(course, None, screen=True)
        if self._options.sample_gpu_cases:
            self._sample(course)
        with course.clock("time"):
            decision = self._gate.decide(course, against)
        if isinstance(decision, Failure):
            return course.failed(decision)
        for name, timing in ranked_timings(course, course.found.values()).items():
            if _measured([timing]):
                self._known_us.setdefault(name, timing.median_us)
        return conclude(course, decision, screen=False)

    def examine(self, candidate: Candidate, on_stage: StageListener | None = None) -> Examined:
        """What can be known of a candidate whatever it must beat, for `evaluate` to go on from. Safe for threads.

        Compiled everywhere. Also verified and timed where times are estimates; a GPU takes one candidate after the other.
        """
        begun = self.build(candidate, on_stage)
        if begun.failure is not None or self.measures:
            return begun
        failure = self._verify(begun.course, screen=False) or self._time(begun.course, screen=False)
        return replace(begun, failure=failure, timed=True)

    def compare(
        self, baseline: Candidate, contender: Candidate, on_stage: StageListener | None = None
    ) -> PairedFigure | NoFigure | Failure:
        """A fresh paired run of two verified candidates (M37), whatever their records say. The Failure is the contender's.

        Raises: InfrastructureError on a device that does not measure, or if one of them no longer compiles.
        """
        if self._gate.comparison is None:
            raise InfrastructureError(
                f"{self._device.name} measures no times, so nothing can be compared in a paired run"
            )
        course = self._rebuilt(contender)
        return self._gate.comparison.compare(self._rebuilt(baseline), course, on_stage)

    def programs(self, candidate: Candidate, cases: Sequence[Case]) -> dict[str, Program]:
        """The binary of each case, which may be compiled with values of its own. Raises: as `run_requests`."""
        course = self._rebuilt(candidate)
        return {case.name: course.program(case) for case in cases}

    def run_requests(self, candidate: Candidate, cases: Sequence[Case]) -> dict[str, RunRequest]:
        """What runs each case once, with its own seed, for tools that watch a run; by case name.

        Raises: InfrastructureError if a candidate that compiled before no longer does.
        """
        course, values = self._rebuilt(candidate), self._verifier.values
        return {
            case.name: RunRequest(
                program=course.program(case),
                plan=course.plans[case.name],
                arguments=device_arguments(self._workload, values.arguments(case, case.seed), on_device=self.measures),
                time_limit_s=run_limit_s(self._device.kind, self._options.time_limit_s, self._known_us.get(case.name)),
                least_alignment=False,
            )
            for case in cases
        }

    @property
    def measures(self) -> bool:
        """True if times are taken on hardware."""
        return isinstance(self._device, MeasuringDevice)

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
        self._device.renew()
        for case in cases:
            failure = failure or self._verify_case(course, case, self._seeds.fresh(case, purpose, seeds))
        if failure is not None:
            return course.failed(failure)
        text = f"passed {len(cases)} cases with {seeds} fresh seeds each"
        if course.held is not None:
            return course.result(course.held.outcome, course.held.reason, f"{text}, but: {course.held.message}")
        return course.result(Outcome.PASSED, "verified", text)

    def build_only(self, candidate: Candidate) -> Evaluation:
        """Plan, policy, compile and limits; nothing is run."""
        built = self.build(candidate)
        if built.failure is not None:
            return built.course.failed(built.failure)
        return built.course.result(Outcome.PASSED, "built", "compiled; nothing was run")

    def close(self) -> None:
        """End the device's, the compiler's and the oracle's workers."""
        self._device.close()
        self._compiler.close()
        self._verifier.values.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cases(self) -> tuple[Case, ...]:
        kind = self._device.kind
        return (*self._workload.cases_on(kind, CaseKind.CHECK), *self._workload.cases_on(kind, CaseKind.PERF))

    def build(self, candidate: Candidate, on_stage: StageListener | None = None) -> Examined:
        """Plan, policy, compile and limits; nothing is run."""
        course = Course(candidate, self._cases(), on_stage)
        return Examined(course, self._prepare(course))

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
        self._device.renew()
        for case in cases:
            failure = self._verify_case(course, case, self._seeds.draw(case, course.candidate.identity, count))
            if failure is not None:
                return failure
        return None

    def _verify_case(self, course: Course, case: Case, seeds: Sequence[int]) -> Failure | None:
        course.begin(f"verify {case.name}")
        limit_s = run_limit_s(self._device.kind, self._options.time_limit_s, self._known_us.get(case.name))
        verifier = replace(self._verifier, time_limit_s=limit_s)
        with course.clock("verify"):
            verdict = verifier.verify(course.program(case), course.plans[case.name], case, seeds)
        message = verdict.message or " ".join(verdict.notes)
        course.found[case.name] = replace(
            course.found[case.name],
            passed=verdict.passed,
            comparisons=verdict.comparisons,
            message=message,
            deterministic=verdict.deterministic,
        )
        if verdict.device_us is not None:
            course.verified_us[case.name] = verdict.device_us
        if verdict.held is not None and verdict.held.label is not None:
            course.questions.append(Failure(verdict.held.label, f"{case_text(case)}: {verdict.held.message}"))
        return None if verdict.outcome is None else Failure(verdict.outcome, verdict.message, verdict.line)

    def _verify_notable(self, course: Course, against: Evaluated | None) -> Failure | None:
        """A measured gain beyond belief is verified with seeds that no attempt has seen."""
        if not self.measures or against is None or not against.evaluation.outcome.correct:
            return None
        own, other = ranked_timings(course, course.found.values()), ranked_timings(course, against.evaluation.cases)
        if not own or not other or not _measured((*own.values(), *other.values())):
            return None
        if speedup(_medians(other), _medians(own)) < NOTABLE_SPEEDUP:
            return None
        self._device.renew()
        for case in course.cases:
            seeds = self._seeds.fresh(case, f"notable/{course.candidate.identity}", NOTABLE_SEEDS)
            failure = self._verify_case(course, case, seeds)
            if failure is not None:
                return failure
        return None

    def _time(self, course: Course, screen: bool) -> Failure | None:
        """Every perf case, all in one process in which nothing was verified; for a point of a search that process will do."""
        ranked = [case for case in course.cases if case.kind is CaseKind.PERF]
        if ranked and not screen:
            self._device.renew()
        subjects = [replace(self._subject(course, case, screen), last=case is ranked[-1]) for case in ranked]
        return time_cases(self._timer, course, subjects)

    def _subject(self, course: Course, case: Case, screen: bool) -> TimedSubject:
        return TimedSubject(
            program=course.program(case),
            plan=course.plans[case.name],
            case=case,
            identity=course.candidate.identity,
            known_us=self._known_us.get(case.name),
            verified_us=course.verified_us.get(case.name),
            screen=screen,
        )

    def _learn(self, against: Evaluated | None) -> None:
        """What a case takes, for time limits and for how many launches a search spends on it."""
        if against is not None and against.evaluation.outcome.correct:
            timings = {case.name: case.timing for case in against.evaluation.cases if case.timing is not None}
            self._known_us |= {n: timing.median_us for n, timing in timings.items() if _measured([timing])}

    def _foresee(self, course: Course) -> None:
        """On hardware cases are large and the GPU is fast: without it most of the first attempt would be the oracle's."""
        if self.measures and not self._foreseen:
            self._foreseen = True
            count = self._options.seeds_per_case
            prefetch_values(self._verifier.values, self._seeds, course.cases, course.candidate.identity, count)

    def _rebuilt(self, candidate: Candidate) -> Course:
        """A candidate that was evaluated before, compiled again (the compiler keeps what it made)."""
        built, failure = (found := self.build(candidate)).course, found.failure
        if failure is not None:
            raise InfrastructureError(f"a candidate that passed does so no more ({failure.label}): {failure.message}")
        return built

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
        subject = TimedSubject(built.programs[case.name], course.plans[case.name], case)
        timed = self._timer.take(unknown, subject).judge()
        if isinstance(timed, Failure):
            return replace(unknown, message=f"not run: {timed.message}")
        return replace(timed.found, message="not verified here: estimated from sampled blocks, never counted as passed")


def _measured(timings: Sequence[Timing]) -> bool:
    return all(timing.source is TimeSource.MEASURED for timing in timings)


def _medians(timings: dict[str, Timing]) -> dict[str, float]:
    return {name: timing.median_us for name, timing in timings.items()}
