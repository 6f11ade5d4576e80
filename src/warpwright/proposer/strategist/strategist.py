"""The built-in strategist: a pure function from the record to the next candidate."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.source_edit import normalised_hash
from warpwright.errors import CandidateError
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.proposer.strategist.expectation import contradicted
from warpwright.proposer.strategist.moves.registry import MOVES
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.subject import subject_of
from warpwright.proposer.strategist.tuner import apply_point, best
from warpwright.record.attempt import Attempt, Hypothesis

TUNED_ATTEMPTS = 5
"""Points of one tuning search that become attempts."""
LEAST_PROMISE = 0.2
"""A move on an ancestor is not worth an attempt below this guessed speed-up over the incumbent."""
STRUCTURAL_PROMISE = 1.2
"""Moves that promise less are not tried on ancestors: they refine, and the incumbent is the one to refine."""
AHEAD = 1.01
"""A tie faster than the incumbent by this much is worth building on: small gains add up to one that counts."""

_log = logging.getLogger(__name__)

Structure = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Idea:
    """A change to an attempt. promise: guessed speed-up over the incumbent."""

    parent: Attempt
    move: Move
    change: Change
    promise: float


class Strategist:
    """Tuned points first, then the most promising move; None when neither is left. moves: () leaves the tuner alone."""

    def __init__(self, moves: tuple[Move, ...] = MOVES) -> None:
        self._moves = moves

    @property
    def name(self) -> str:
        """How the record names this proposer."""
        return "builtin"

    def propose(self, state: SearchState) -> Proposal | None:
        """The next candidate, or None when there is nothing left to try."""
        if state.incumbent == 0:
            return None
        tried = {attempt.candidate.identity for attempt in state.attempts}
        tuned = next((p for p in self._tuned(state) if p.candidate.identity not in tried), None)
        if tuned is not None:
            return tuned
        ideas = [idea for parent in _parents(state) for idea in self._ideas(state, parent)]
        if not ideas:
            return None
        chosen = max(ideas, key=lambda idea: idea.promise)
        hypothesis = Hypothesis(chosen.move.name, chosen.change.text, dict(chosen.change.expects))
        return Proposal(chosen.change.candidate, hypothesis, self.name, chosen.parent.number)

    def repair(self, state: SearchState, failed: int) -> Proposal | None:
        """None: a move whose result failed is wrong about the kernel, and trying harder would not make it right."""
        del state, failed
        return None

    def _tuned(self, state: SearchState) -> Iterator[Proposal]:
        """The best points of each search that could still become the incumbent, fastest first."""
        for number, points in sorted(state.tuned.items()):
            parent = state.attempt(number)
            limit = _time_to_beat(state, parent)
            for point in best(points, TUNED_ATTEMPTS):
                if point.geomean_us is None or point.geomean_us >= limit:
                    continue
                words = ", ".join(f"{name}={value}" for name, value in sorted(point.point.items()))
                cases = f", with launch settings of its own for {', '.join(point.launch)}" if point.launch else ""
                text = f"The search over {len(points)} points found {words}{cases}."
                candidate = apply_point(parent.candidate, point.point, point.launch)
                yield Proposal(candidate, Hypothesis("tuning", text), self.name, number)

    def _ideas(self, state: SearchState, parent: Attempt) -> Iterator[_Idea]:
        """Every move that applies to an attempt and has not been tried on it."""
        dropped = {a.hypothesis.technique for a in state.attempts if a.hypothesis is not None and _refuted(state, a)}
        done = _techniques_tried(state, parent)
        known = {_structure(attempt.candidate) for attempt in state.attempts}
        handicap = _handicap(state, parent)
        for move in self._moves:
            if move.name in dropped or move.name in done:
                continue
            for change in _changes(state, parent, move):
                promise = change.promise * handicap
                older = handicap < 1 and change.promise < STRUCTURAL_PROMISE
                if promise >= LEAST_PROMISE and not older and _structure(change.candidate) not in known:
                    yield _Idea(parent, move, change, promise)


def _time_to_beat(state: SearchState, parent: Attempt) -> float:
    """Time above which a point of the parent's search cannot become the incumbent, in us.

    Measured times are noisy, so points a little slower go to the paired comparison too. Estimates repeat exactly: a
    point must beat the incumbent and every attempt of the same structure.
    """
    incumbent = state.attempt(state.incumbent)
    timings = [case.timing for case in incumbent.evaluation.cases if case.timing is not None]
    own = incumbent.evaluation.geomean_us or float("inf")
    if any(timing.source == "measured" for timing in timings):
        return own * (1 + max(timing.uncertainty_ratio for timing in timings))
    same = [a for a in state.attempts if _structure(a.candidate) == _structure(parent.candidate)]
    times = [
        a.evaluation.geomean_us for a in same if a.evaluation.outcome.correct and a.evaluation.geomean_us is not None
    ]
    return min(own, *times) if times else own


def _changes(state: SearchState, parent: Attempt, move: Move) -> Iterator[Change]:
    """The move on every launch of the plan to which it applies."""
    for position in range(len(parent.candidate.plan.launches)):
        try:
            subject = subject_of(parent.candidate, position, state.workload, state.gpu, parent.evaluation)
        except CandidateError:
            continue  # the parser does not find the kernel (a macro made it): no move can apply
        if subject.kernel.function.broken:
            continue
        try:
            result = move.rewrite(subject)
        except CandidateError as error:
            _log.warning("move %s wrote source that cannot be read, so it is left out: %s", move.name, error)
            continue
        if not isinstance(result, Refusal):
            yield result


def _parents(state: SearchState) -> list[Attempt]:
    """The incumbent, the fastest attempt if it is ahead but too close to call, and what the incumbent was made from."""
    incumbent = state.attempt(state.incumbent)
    parents = [incumbent]
    correct = [a for a in state.attempts if a.evaluation.outcome.correct and a.evaluation.geomean_us is not None]
    fastest = min(correct, key=lambda a: a.evaluation.geomean_us or 0.0, default=incumbent)
    if _handicap(state, fastest) > AHEAD:
        parents.append(fastest)
    origin = incumbent
    while origin.parent:
        origin = state.attempt(origin.parent)
        parents.append(origin)
    return list({parent.number: parent for parent in parents}.values())


def _handicap(state: SearchState, parent: Attempt) -> float:
    """Time of the incumbent over that of the parent: what a move on the parent must make up for."""
    own, other = state.attempt(state.incumbent).evaluation.geomean_us, parent.evaluation.geomean_us
    return own / other if own and other else 1.0


def _refuted(state: SearchState, attempt: Attempt) -> bool:
    return attempt.parent > 0 and contradicted(attempt, state.attempt(attempt.parent))


def _techniques_tried(state: SearchState, parent: Attempt) -> set[str]:
    """Moves that have been tried on this source with this plan, at whatever point."""
    same = {a.number for a in state.attempts if _structure(a.candidate) == _structure(parent.candidate)}
    return {a.hypothesis.technique for a in state.attempts if a.hypothesis is not None and a.parent in same}


def _structure(candidate: Candidate) -> Structure:
    """What two candidates share when they differ in layout, comments or chosen point only."""
    launches = repr((candidate.plan.launches, sorted(candidate.tunables)))
    return normalised_hash(candidate.source), launches
