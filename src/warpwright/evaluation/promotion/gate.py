"""Against the incumbent: by estimates, or by a paired run where times are measured."""

from collections.abc import Callable
from dataclasses import dataclass

from warpwright.benchmark.decision import Decision, Rank
from warpwright.benchmark.figure import PairedFigure
from warpwright.benchmark.score import speedup
from warpwright.candidate.candidate import Candidate
from warpwright.device.protocol import Timing
from warpwright.evaluation.conclusion import decide_by_records, ranked_timings
from warpwright.evaluation.course import Course
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import Outcome
from warpwright.evaluation.promotion.baseline import Evaluated
from warpwright.evaluation.promotion.comparison import NoFigure, PairedComparison, without_run

Build = Callable[[Candidate], Course]


@dataclass(frozen=True, slots=True)
class Gate:
    """Decides whether a contender has beaten an incumbent.

    comparison: None on a device that only estimates. build: compiles a candidate for the device, with its plans; raises
    InfrastructureError if it no longer compiles.
    """

    comparison: PairedComparison | None
    build: Build

    def decide(self, course: Course, against: Evaluated | None) -> Decision | Failure | None:
        """The decision; None without an incumbent to beat, or if a person must settle a question first.

        The figure of a paired run stays in the course. The Failure is the contender's. Raises: InfrastructureError.
        """
        if against is None or not against.evaluation.outcome.correct:
            return None
        own = ranked_timings(course, course.found.values())
        other = ranked_timings(course, against.evaluation.cases)
        if self.comparison is None or not own or not other:
            return decide_by_records(course, against.evaluation)
        if course.held is not None:
            return None
        lead = _lead(other, own) if _machine(own) == _machine(other) else None
        unearned = None if lead is None else without_run(lead, self.comparison.options)
        return unearned or self._paired(self.comparison, course, against, lead)

    def _paired(
        self, comparison: PairedComparison, course: Course, against: Evaluated, lead: float | None
    ) -> Decision | Failure | None:
        incumbent = self.build(against.candidate)
        incumbent.found = {case.name: case for case in against.evaluation.cases}
        found = comparison.compare(incumbent, course, course.listener)
        if isinstance(found, Failure) and found.outcome is Outcome.SUSPICIOUS:
            course.questions.append(found)
            return None
        if isinstance(found, Failure):
            return found
        if isinstance(found, NoFigure):
            return Decision(Rank.TIE, lead, {}, f"tie: {found.message}")
        course.paired = found
        return decision_of(found)


def decision_of(figure: PairedFigure) -> Decision:
    """What a paired run decided."""
    return Decision(figure.rank, figure.speedup, {case.name: case.speedup for case in figure.cases}, figure.message)


def _lead(incumbent: dict[str, Timing], contender: dict[str, Timing]) -> float:
    return speedup(
        {name: timing.median_us for name, timing in incumbent.items()},
        {name: timing.median_us for name, timing in contender.items()},
    )


def _machine(timings: dict[str, Timing]) -> tuple[str | None, ...]:
    """What two records must share before a lead between them means anything: an estimate shares nothing with a time."""
    timing = next(iter(timings.values()))
    identity = timing.measurement.identity if timing.measurement is not None else {}
    return timing.source, timing.gpu, identity.get("uuid"), identity.get("driver")
