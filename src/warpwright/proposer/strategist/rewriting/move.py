"""A move: one rewrite of a candidate, with the reason for it and what it should do to the counters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from warpwright.candidate.candidate import Candidate
from warpwright.proposer.strategist.rewriting.subject import Subject


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move does not apply."""

    reason: str


@dataclass(frozen=True, slots=True)
class Change:
    """A rewritten candidate.

    text: cause and change in a sentence or two. expects: normalised counter -> expected new over old value.
    promise: guessed speed-up, for ordering only; 1 = none.
    """

    candidate: Candidate
    text: str
    promise: float
    expects: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Move:
    """One kind of rewrite. rewrite: pure; refuses, with the reason, what it does not understand.

    cards: of the field guide that it carries out, the closest first.
    """

    name: str
    summary: str
    rewrite: Callable[[Subject], Change | Refusal]
    cards: tuple[str, ...] = ()
