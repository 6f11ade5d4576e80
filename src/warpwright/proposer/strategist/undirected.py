"""The same moves and the same tuner without diagnosis and without promises: what guidance is compared with."""

import numpy as np

from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.proposer.strategist.changes import changes, techniques_tried
from warpwright.proposer.strategist.moves.registry import MOVES
from warpwright.proposer.strategist.rewriting.move import Move
from warpwright.proposer.strategist.tuned import tuned_point
from warpwright.record.attempt import Hypothesis


class Undirected:
    """Tuned points first, then any move that applies to the incumbent and was not tried on it, by the session's seed."""

    def __init__(self, moves: tuple[Move, ...] = MOVES) -> None:
        self._moves = moves

    @property
    def name(self) -> str:
        """How the record names this proposer."""
        return "undirected"

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        """The next candidate, or None when no move is left for the incumbent."""
        del notebook  # nothing is spent here
        if state.incumbent == 0:
            return None
        tuned = tuned_point(state, self.name) if state.focus is None else None
        if tuned is not None:
            return tuned.proposal
        parent = state.attempt(state.incumbent if state.focus is None else state.focus.parent)
        done = techniques_tried(state, parent)
        open_moves = [move for move in self._moves if move.name not in done]
        order = np.random.default_rng((state.seed, len(state.tried))).permutation(len(open_moves))
        for move in (open_moves[int(i)] for i in order):
            change = next(changes(state, parent, move), None)
            if change is not None:
                hypothesis = Hypothesis(move.name, change.text, dict(change.expects))
                return Proposal(change.candidate, hypothesis, self.name, parent.number)
        return None

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        """None, as for the strategist."""
        del state, failed, notebook
        return None
