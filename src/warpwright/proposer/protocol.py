"""The seam between the loop and whatever turns the record so far into the next candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from warpwright.candidate.candidate import Candidate
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.record.attempt import Attempt, Hypothesis, TuningPoint
from warpwright.workload.model import Workload


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate and the reasons for it. parent: number of the attempt it was made from."""

    candidate: Candidate
    hypothesis: Hypothesis
    proposer: str
    parent: int


@dataclass(frozen=True, slots=True)
class SearchState:
    """Everything a proposer decides from.

    attempts: finished ones in order, number 1 is the initial kernel. incumbent: number of the fastest that passed
    everything; 0 = none yet. tuned: attempt number -> the points searched from it.
    """

    workload: Workload
    gpu: GpuSpec
    attempts: Sequence[Attempt]
    incumbent: int
    tuned: Mapping[int, Sequence[TuningPoint]]
    seed: int

    def attempt(self, number: int) -> Attempt:
        """The attempt of that number."""
        return self.attempts[number - 1]


class Proposer(Protocol):
    """Turns the record so far into the next candidate."""

    @property
    def name(self) -> str:
        """`builtin`, `openai:gpt-...`, `person`."""
        ...

    def propose(self, state: SearchState) -> Proposal | None:
        """The next candidate, or None when there is nothing left to try. Deterministic in `state`."""
        ...

    def repair(self, state: SearchState, failed: int) -> Proposal | None:
        """The failed attempt's idea once more, mended by its evidence, or None if that is not possible."""
        ...
