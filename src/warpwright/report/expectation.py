"""What a hypothesis expected of the counters, and what they did."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from warpwright.evaluation.outcome import Evaluation
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.record.attempt import Attempt

NOISE_RATIO = 0.02
"""A counter that moved by less has not moved."""


class Movement(StrEnum):
    """What a counter did, against what was expected of it."""

    AS_EXPECTED = "as expected"
    LESS = "less than expected"
    NONE = "did not move"
    CONTRARY = "the other way"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One counter that a hypothesis named; ratios are new over old value. observed: None = unknown."""

    counter: str
    expected: float
    observed: float | None

    @property
    def movement(self) -> Movement:
        """At least half of the expected way (on a log scale) counts as expected."""
        if self.observed is None or self.observed <= 0 or self.expected <= 0:
            return Movement.UNKNOWN
        moved, wanted, noise = math.log(self.observed), math.log(self.expected), math.log1p(NOISE_RATIO)
        if abs(wanted) <= noise:
            return Movement.AS_EXPECTED if abs(moved) <= noise else Movement.CONTRARY
        if abs(moved) <= noise:
            return Movement.NONE
        if moved * wanted < 0:
            return Movement.CONTRARY
        return Movement.AS_EXPECTED if abs(moved) >= abs(wanted) / 2 else Movement.LESS


def expectations(
    attempt: Attempt, parent: Attempt | None, diagnosis: AttemptDiagnosis | None = None
) -> tuple[Expectation, ...]:
    """Every counter that an attempt was expected to move, beside what it did.

    As its diagnosis saw it on one case; without one, counters are means over the timed cases that have them.
    """
    if attempt.hypothesis is None:
        return ()
    if diagnosis is not None and diagnosis.checks:
        return tuple(Expectation(check.counter, check.expected, check.seen) for check in diagnosis.checks)
    new = mean_counters(attempt.evaluation)
    old = {} if parent is None else mean_counters(parent.evaluation)
    return tuple(
        Expectation(name, expected, new[name] / old[name] if name in new and old.get(name) else None)
        for name, expected in attempt.hypothesis.expects.items()
    )


def mean_counters(evaluation: Evaluation) -> Mapping[str, float]:
    """Each counter's mean over the timed cases that know it."""
    values: dict[str, list[float]] = {}
    for case in evaluation.cases:
        for name, value in ({} if case.timing is None else case.timing.counters).items():
            values.setdefault(name, []).append(value)
    return {name: sum(found) / len(found) for name, found in values.items()}
