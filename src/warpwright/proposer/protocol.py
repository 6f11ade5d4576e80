"""The seam between the loop and whatever turns the record so far into the next candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from warpwright.candidate.candidate import Candidate
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.profiler.profile import CaseProfile
from warpwright.proposer.conversation import Notebook
from warpwright.record.attempt import Attempt, Hypothesis, PendingAttempt, TuningPoint
from warpwright.workload.model import Workload


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate and the reasons for it. parent: number of the attempt it was made from.

    The hypothesis may cite only what a look-up of this run returned: the loop drops and counts what it did not.
    """

    candidate: Candidate
    hypothesis: Hypothesis
    proposer: str
    parent: int
    reason: str = ""
    """Why another proposer than the one asked for made it: its model could not be used."""
    known_citations: tuple[str, ...] = ()
    """Ids that its proposer was shown or that look-ups gave it, beside the guidance on record: it may cite these, too."""


@dataclass(frozen=True, slots=True)
class Focus:
    """What a proposal is wanted for: the attempt to start from, and the class of the finding to treat (None = any)."""

    parent: int
    bottleneck: str | None = None


@dataclass(frozen=True, slots=True)
class SearchState:
    """Everything a proposer decides from.

    attempts: finished ones in order, number 1 is the initial kernel. incumbent: number of the fastest that passed
    everything; 0 = none yet. By attempt number: tuned, the points searched from it; diagnoses, what its counters say;
    guidance, what is advised on its bottleneck; profiles, the counters by case; hints, what worked against its bottleneck in
    other sessions, in short texts that are data (a model may have worded parts of them). An attempt that is missing is unknown.

    focus: what the next proposal is wanted for; None = whatever is best. begun: candidates in hand that have no outcome yet,
    in order; none of them is wanted again.
    """

    workload: Workload
    gpu: GpuSpec
    attempts: Sequence[Attempt]
    incumbent: int
    tuned: Mapping[int, Sequence[TuningPoint]]
    seed: int
    diagnoses: Mapping[int, AttemptDiagnosis] = field(default_factory=dict)
    guidance: Mapping[int, Guidance] = field(default_factory=dict)
    profiles: Mapping[int, Sequence[CaseProfile]] = field(default_factory=dict)
    hints: Mapping[int, Sequence[str]] = field(default_factory=dict)
    focus: Focus | None = None
    begun: Sequence[PendingAttempt] = ()

    def attempt(self, number: int) -> Attempt:
        """The finished attempt of that number."""
        return self.attempts[number - 1]

    @property
    def tried(self) -> Sequence[Attempt | PendingAttempt]:
        """Every attempt, with an outcome or without."""
        return (*self.attempts, *self.begun)


class Proposer(Protocol):
    """Turns the record so far into the next candidate."""

    @property
    def name(self) -> str:
        """`builtin`, `openai:gpt-...`, `person`."""
        ...

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        """The next candidate, or None when there is nothing left to try. Deterministic in `state` and the replies of models.

        With a focus in `state`: one for that, or None when there is nothing left to try there.
        """
        ...

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        """The failed attempt's idea once more, mended by its evidence, or None if that is not possible.

        The failed attempt counts as the parent of what is proposed.
        """
        ...
