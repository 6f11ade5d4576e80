"""The built-in strategist: a pure function from the record to the next candidate."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from warpwright.candidate.candidate import Candidate
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Focus, Proposal, SearchState
from warpwright.proposer.strategist.changes import changes, structure_of, techniques_tried
from warpwright.proposer.strategist.evidence import Support, evidence_on
from warpwright.proposer.strategist.expectation import AHEAD, cooling_cards, refuted
from warpwright.proposer.strategist.moves.registry import MOVES
from warpwright.proposer.strategist.rewriting.move import Change, Move
from warpwright.proposer.strategist.tuned import Tuned, tuned_point
from warpwright.record.attempt import Attempt, Hypothesis

LEAST_PROMISE = 0.2
"""A move on an ancestor is not worth an attempt below this guessed speed-up over the incumbent."""
STRUCTURAL_PROMISE = 1.2
"""Moves that promise less are not tried on ancestors: they refine, and the incumbent is the one to refine."""
NEW_STRUCTURE_PROMISE = 2.0
"""Moves that promise this much change what a thread does, and with it which block and tile are good."""


@dataclass(frozen=True, slots=True)
class _Idea:
    """A change to an attempt. promise: guessed speed-up over the incumbent. rank: of the finding it treats, 0 = the target.

    support: None if it follows from no finding. card: of the field guide, None if the move carries none out.
    """

    parent: Attempt
    move: Move
    change: Change
    promise: float
    rank: int
    card: str | None
    support: Support | None

    @property
    def order(self) -> tuple[bool, int, float, float]:
        """Sorts first what may gain, by the finding it treats, then by its promise; held to a bound, by what it was before."""
        return self.promise < 1, self.rank, -self.promise, -self.change.promise

    @property
    def treats_target(self) -> bool:
        """True if it follows from the target finding of its parent."""
        return self.support is not None and self.rank == 0

    @property
    def bottleneck(self) -> str | None:
        """Class of the finding that it treats."""
        return None if self.support is None else self.support.finding.bottleneck

    @property
    def hypothesis(self) -> Hypothesis:
        """The idea in checkable words."""
        citations = () if self.support is None else self.support.citations
        text = self.change.text if self.support is None else f"{self.support.finding.text} {self.change.text}"
        return Hypothesis(self.move.name, text, dict(self.change.expects), self.bottleneck, self.card, citations)


class Strategist:
    """Tuned points, then moves in the order that the diagnosis gives them; None when neither is left.

    A move that treats the target and promises more than a tuned point gained goes before it: if it makes a new structure,
    points of the old one are not worth an attempt; if it refines this one, it is made at that point. moves: () leaves the
    tuner alone.
    """

    def __init__(self, moves: tuple[Move, ...] = MOVES) -> None:
        self._moves = moves

    @property
    def name(self) -> str:
        """How the record names this proposer."""
        return "builtin"

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        """The next candidate, or None when there is nothing left to try."""
        del notebook  # nothing is spent here
        if state.incumbent == 0:
            return None
        if state.focus is not None:
            return self._in_focus(state, state.focus)
        tuned = tuned_point(state, self.name)
        ideas = [idea for parent in _parents(state) for idea in self._ideas(state, parent)]
        chosen = min(ideas, key=lambda idea: idea.order, default=None)
        if tuned is not None and not (chosen is not None and chosen.treats_target and chosen.promise > tuned.gain):
            return tuned.proposal
        return None if chosen is None else self._proposal(state, chosen, tuned)

    def _in_focus(self, state: SearchState, focus: Focus) -> Proposal | None:
        """The most promising move that treats a finding of one attempt. What promises no gain is left for later, and so is
        what refines a structure beside which another one is tried: its counters could rule it out for that one.
        """
        before, parent = replace(state, begun=()), state.attempt(focus.parent)
        restructured = any(idea.change.promise >= STRUCTURAL_PROMISE for idea in self._ideas(before, parent))
        ideas = [
            idea
            for idea in self._ideas(state, parent)
            if idea.promise >= 1
            and (focus.bottleneck is None or idea.bottleneck == focus.bottleneck)
            and not (restructured and idea.change.promise < STRUCTURAL_PROMISE)
        ]
        chosen = min(ideas, key=lambda idea: idea.order, default=None)
        tuned = tuned_point(before, self.name)
        return None if chosen is None else self._proposal(state, chosen, tuned)

    def _proposal(self, state: SearchState, idea: _Idea, tuned: Tuned | None) -> Proposal:
        if tuned is not None and idea.promise < NEW_STRUCTURE_PROMISE:
            idea = _at_point(state, idea, tuned.proposal.candidate)
        return Proposal(idea.change.candidate, idea.hypothesis, self.name, idea.parent.number)

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        """None: a move whose result failed is wrong about the kernel, and trying harder would not make it right."""
        del state, failed, notebook
        return None

    def _ideas(self, state: SearchState, parent: Attempt) -> Iterator[_Idea]:
        """Every move that applies to an attempt, has not been tried on it and is not ruled out by the record."""
        done, cooling = techniques_tried(state, parent), cooling_cards(state)
        evidence = evidence_on(state, parent)
        handicap = _handicap(state, parent)
        for move in self._moves:
            cards = [card for card in move.cards if card not in cooling]
            if move.name in done or (move.cards and not cards) or refuted(state, move.name, parent):
                continue
            support = evidence.support(cards)
            card = support.card if support is not None else next(iter(cards), None)
            rank = evidence.ranks if support is None else support.rank
            for change in changes(state, parent, move):
                promise = _held_to_bound(change.promise, support) * handicap
                older = handicap < 1 and change.promise < STRUCTURAL_PROMISE
                if promise >= LEAST_PROMISE and not older:
                    yield _Idea(parent, move, change, promise, rank, card, support)


def _at_point(state: SearchState, idea: _Idea, point: Candidate) -> _Idea:
    """The idea with its parent at a point that a search of the parent's structure found, where it applies there, too."""
    if structure_of(point) != structure_of(idea.parent.candidate):
        return idea
    change = next(changes(state, replace(idea.parent, candidate=point), idea.move), None)
    return idea if change is None else replace(idea, change=change)


def _held_to_bound(promise: float, support: Support | None) -> float:
    """A guess, at most what curing the finding that it treats could bring."""
    bound = None if support is None else support.finding.bound
    return promise if bound is None else min(promise, bound)


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
        if origin.evaluation.outcome.correct:  # what a repair mended is no place to start from
            parents.append(origin)
    return list({parent.number: parent for parent in parents}.values())


def _handicap(state: SearchState, parent: Attempt) -> float:
    """Time of the incumbent over that of the parent: what a move on the parent must make up for."""
    own, other = state.attempt(state.incumbent).evaluation.geomean_us, parent.evaluation.geomean_us
    return own / other if own and other else 1.0
