"""Whether counters bore out what an attempt was expected to do."""

from collections.abc import Mapping

from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.record.attempt import Attempt

NOISE_RATIO = 0.02
"""A counter that moved by less has not moved."""

_REFUTED = frozenset(
    {Outcome.COMPILE_ERROR, Outcome.CRASH, Outcome.TIMEOUT, Outcome.WRONG_RESULT, Outcome.UNSTABLE, Outcome.REJECTED}
)


def mean_counters(evaluation: Evaluation) -> dict[str, float]:
    """Normalised counters, each the mean over the timed cases that know it."""
    values: dict[str, list[float]] = {}
    for case in evaluation.cases:
        for name, value in ({} if case.timing is None else case.timing.counters).items():
            values.setdefault(name, []).append(value)
    return {name: sum(found) / len(found) for name, found in values.items()}


def movements(attempt: Attempt, parent: Attempt) -> dict[str, float]:
    """New over old value of each counter the attempt was expected to move, where both are known."""
    expects: Mapping[str, float] = {} if attempt.hypothesis is None else attempt.hypothesis.expects
    old, new = mean_counters(parent.evaluation), mean_counters(attempt.evaluation)
    return {name: new[name] / old[name] for name in expects if name in new and old.get(name)}


def contradicted(attempt: Attempt, parent: Attempt) -> bool:
    """True if the attempt failed by its own fault, or brought no gain and its counters went the other way."""
    if attempt.evaluation.outcome in _REFUTED:
        return True
    if attempt.hypothesis is None or attempt.evaluation.outcome is Outcome.IMPROVED:
        return False
    expects = attempt.hypothesis.expects
    wrong = [
        ratio > 1 + NOISE_RATIO if expects[name] < 1 else ratio < 1 - NOISE_RATIO
        for name, ratio in movements(attempt, parent).items()
        if expects[name] != 1
    ]
    return bool(wrong) and all(wrong)
