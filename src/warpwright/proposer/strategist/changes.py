"""What a move makes of an attempt, and which moves have been tried on it."""

import logging
from collections.abc import Iterator

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.source_edit import normalised_hash
from warpwright.errors import CandidateError
from warpwright.proposer.protocol import SearchState
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.subject import subject_of
from warpwright.record.attempt import Attempt

_log = logging.getLogger(__name__)

Structure = tuple[str, str]


def structure_of(candidate: Candidate) -> Structure:
    """What two candidates share when they differ in layout, comments or chosen point only."""
    launches = repr((candidate.plan.launches, sorted(candidate.tunables)))
    return normalised_hash(candidate.source), launches


def techniques_tried(state: SearchState, parent: Attempt) -> set[str]:
    """Moves that have been tried on this source with this plan, at whatever point."""
    same = {a.number for a in state.attempts if structure_of(a.candidate) == structure_of(parent.candidate)}
    return {a.hypothesis.technique for a in state.tried if a.hypothesis is not None and a.parent in same}


def changes(state: SearchState, parent: Attempt, move: Move) -> Iterator[Change]:
    """The move on every launch of the plan to which it applies, where the result is not known yet."""
    known = {structure_of(attempt.candidate) for attempt in state.tried}
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
        if not isinstance(result, Refusal) and structure_of(result.candidate) not in known:
            yield result
