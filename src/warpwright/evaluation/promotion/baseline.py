"""The candidate that another is compared with, and what is known of it."""

from dataclasses import dataclass
from typing import Protocol

from warpwright.candidate.candidate import Candidate
from warpwright.evaluation.outcome import Evaluation


class Evaluated(Protocol):
    """A candidate with its evaluation: an attempt of a session, or a `Baseline`."""

    @property
    def candidate(self) -> Candidate:
        """What was evaluated."""
        ...

    @property
    def evaluation(self) -> Evaluation:
        """What came of it."""
        ...


@dataclass(frozen=True, slots=True)
class Baseline:
    """A candidate with its evaluation, outside any session."""

    candidate: Candidate
    evaluation: Evaluation
