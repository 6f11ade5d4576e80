"""One evaluation under way: what each stage found, and how it becomes the result."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from warpwright.benchmark.figure import PairedFigure
from warpwright.candidate.candidate import Candidate
from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.protocol import Program
from warpwright.evaluation.building.build import Build
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.workload.model import Case

StageListener = Callable[[str], None]
"""Told what begins: `compile`, `verify ragged`, `time rows`."""


@dataclass(slots=True)
class Course:
    """The candidate, the cases in the order in which they run, and what is known of them so far."""

    candidate: Candidate
    cases: Sequence[Case]
    listener: StageListener | None = None
    plans: Mapping[str, ResolvedPlan] = field(default_factory=dict)
    built: Build | None = None
    found: dict[str, CaseEvaluation] = field(default_factory=dict)
    verified_us: dict[str, float] = field(default_factory=dict)
    """Case -> longest run in verification, where known; for time limits, never a score."""
    seconds: dict[str, float] = field(default_factory=dict)
    questions: list[Failure] = field(default_factory=list)
    """What timing found that only a person can settle."""
    paired: PairedFigure | None = None

    def __post_init__(self) -> None:
        self.found = {case.name: CaseEvaluation(case.name, case.kind, None) for case in self.cases}

    def begin(self, stage: str) -> None:
        """Tell the listener."""
        if self.listener is not None:
            self.listener(stage)

    @contextmanager
    def clock(self, stage: str) -> Iterator[None]:
        """Add the wall time of the block to a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - started

    @property
    def held(self) -> Failure | None:
        """Why the candidate cannot be promoted though every check passed: the first question that is open."""
        built = None if self.built is None else self.built.held
        return built or next(iter(self.questions), None)

    def program(self, case: Case) -> Program:
        """The binary of one case. Only after the build."""
        if self.built is None:
            raise ValueError(f"case {case.name} is asked for its program before the build")
        return self.built.programs[case.name]

    def failed(self, failure: Failure) -> Evaluation:
        """The result of a candidate that went no further."""
        return self.result(failure.outcome, failure.reason, failure.message, line=failure.line)

    def result(
        self,
        outcome: Outcome,
        reason: str | None,
        message: str,
        *,
        geomean_us: float | None = None,
        speedup: float | None = None,
        line: int | None = None,
    ) -> Evaluation:
        """The result with everything that is known."""
        return Evaluation(
            outcome=outcome,
            reason=reason,
            message=message,
            cases=tuple(self.found.values()),
            compiled=None if self.built is None else self.built.compiled,
            geomean_us=geomean_us,
            speedup=speedup,
            seconds=dict(self.seconds),
            line=line,
            paired=self.paired,
        )


@dataclass(frozen=True, slots=True)
class Examined:
    """How far a candidate has come without anything to compare it with. failure: of its own, None = none so far.

    timed: verified and timed, too; otherwise only planned and compiled.
    """

    course: Course
    failure: Failure | None
    timed: bool = False
