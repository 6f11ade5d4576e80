"""Points of tuning searches that are worth an attempt."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warpwright.benchmark.paired import PairedOptions
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.proposer.strategist.changes import structure_of
from warpwright.proposer.strategist.tuner import apply_point, best, key_of, settings_by_case
from warpwright.record.attempt import Attempt, Hypothesis, TuningPoint

TUNED_ATTEMPTS = 5
"""Points of one tuning search that become attempts."""
LEAST_LEAD = PairedOptions().entry_ratio
"""What a measured point must be ahead by: a paired run is not begun for less."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """A point as a proposal. gain: time of the incumbent over that of the point, as it was screened."""

    proposal: Proposal
    gain: float


def tuned_point(state: SearchState, proposer: str) -> Tuned | None:
    """The fastest point that could still become the incumbent and is no attempt yet."""
    tried = {attempt.candidate.identity for attempt in state.tried}
    return next((t for t in _worth_an_attempt(state, proposer) if t.proposal.candidate.identity not in tried), None)


def _worth_an_attempt(state: SearchState, proposer: str) -> Iterator[Tuned]:
    """The best points of each search that could still become the incumbent, fastest first."""
    incumbent_us = state.attempt(state.incumbent).evaluation.geomean_us
    for number, points in sorted(state.tuned.items()):
        parent = state.attempt(number)
        limit = _time_to_beat(state, parent, points)
        for point in best(points, TUNED_ATTEMPTS):
            if point.geomean_us is None or point.geomean_us >= limit:
                continue
            words = ", ".join(f"{name}={value}" for name, value in sorted(point.point.items()))
            cases = f", with other values for {', '.join(point.launch)}" if point.launch else ""
            text = f"The search over {len(points)} points found {words}{cases}."
            candidate = apply_point(parent.candidate, point.point, point.launch)
            gain = incumbent_us / point.geomean_us if incumbent_us else 1.0
            yield Tuned(Proposal(candidate, Hypothesis("tuning", text), proposer, number), gain)


def _time_to_beat(state: SearchState, parent: Attempt, points: Sequence[TuningPoint]) -> float:
    """Time above which a point of the parent's search cannot become the incumbent, in us.

    Measured: the incumbent's, less the lead without which an attempt ends as a tie after all its launches, and as much
    lower as points were screened lower than the parent was measured. Estimates repeat exactly: a point must beat the
    incumbent and every attempt of the same structure.
    """
    incumbent = state.attempt(state.incumbent)
    timings = [case.timing for case in incumbent.evaluation.cases if case.timing is not None]
    own = incumbent.evaluation.geomean_us or float("inf")
    if any(timing.source == "measured" for timing in timings):
        return own * _screened_ratio(parent, points) * (1 - LEAST_LEAD)
    same = [a for a in state.attempts if structure_of(a.candidate) == structure_of(parent.candidate)]
    times = [
        a.evaluation.geomean_us for a in same if a.evaluation.outcome.correct and a.evaluation.geomean_us is not None
    ]
    return min(own, *times) if times else own


def _screened_ratio(parent: Attempt, points: Sequence[TuningPoint]) -> float:
    """Time of the parent's own point in the search over that of the attempt; 1 if it was not tried."""
    own = key_of(parent.candidate.values(), settings_by_case(parent.candidate))
    full_us = parent.evaluation.geomean_us
    screened_us = next((p.geomean_us for p in points if key_of(p.point, p.launch) == own), None)
    return screened_us / full_us if screened_us is not None and full_us else 1.0
