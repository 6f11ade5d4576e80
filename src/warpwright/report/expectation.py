"""What a hypothesis expected of the counters, and what they did."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from warpwright.evaluation.outcome import Evaluation
from warpwright.profiler.diagnosis.expectation import judge
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, Verdict
from warpwright.record.attempt import Attempt


class Movement(StrEnum):
    """What a counter did, against what was expected of it."""

    AS_EXPECTED = "as expected"
    LESS = "less than expected"
    NONE = "did not move"
    CONTRARY = "the other way"
    UNKNOWN = "unknown"


_UNMOVED = 1.0


@dataclass(frozen=True, slots=True)
class Expectation:
    """One counter that a hypothesis named; ratios are new over old value. observed: None = unknown. verdict: of its check."""

    counter: str
    expected: float
    observed: float | None
    verdict: Verdict

    @property
    def movement(self) -> Movement:
        """The verdict of the check, told as a movement."""
        if self.verdict is Verdict.BORNE_OUT:
            return Movement.AS_EXPECTED
        if self.verdict is Verdict.REFUTED:
            unmoved = judge(_UNMOVED, self.observed) is Verdict.BORNE_OUT
            return Movement.NONE if unmoved else Movement.CONTRARY
        valid = self.observed is not None and self.observed >= 0 and self.expected >= 0
        return Movement.LESS if valid else Movement.UNKNOWN


def expectations(
    attempt: Attempt, parent: Attempt | None, diagnosis: AttemptDiagnosis | None = None
) -> tuple[Expectation, ...]:
    """Every counter that an attempt was expected to move, beside what it did.

    As its diagnosis saw it on one case; without one, counters are means over the timed cases that have them.
    """
    if attempt.hypothesis is None:
        return ()
    if diagnosis is not None and diagnosis.checks:
        return tuple(Expectation(c.counter, c.expected, c.seen, c.verdict) for c in diagnosis.checks)
    new = mean_counters(attempt.evaluation)
    old = {} if parent is None else mean_counters(parent.evaluation)
    seen = {name: new[name] / old[name] for name in new if old.get(name)}
    return tuple(
        Expectation(name, expected, seen.get(name), judge(expected, seen.get(name)))
        for name, expected in attempt.hypothesis.expects.items()
    )


def mean_counters(evaluation: Evaluation) -> Mapping[str, float]:
    """Each counter's mean over the timed cases that know it."""
    values: dict[str, list[float]] = {}
    for case in evaluation.cases:
        for name, value in ({} if case.timing is None else case.timing.counters).items():
            values.setdefault(name, []).append(value)
    return {name: sum(found) / len(found) for name, found in values.items()}
