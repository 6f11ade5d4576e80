"""An attempt: a numbered candidate with the reason for it and what came of it. Never rewritten."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from warpwright.candidate.candidate import Candidate
from warpwright.evaluation.outcome import Evaluation


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Why a candidate should be faster, in checkable words.

    technique: name of the move, card or idea. expects: normalised counter -> expected new value over old value
    (0.5 = halves), so that counters can bear it out or contradict it. bottleneck: class of the parent's finding that it
    treats (`dram_bound`); card: of the field guide (`FG-12`); both None where it follows from no diagnosis. citations: ids.
    """

    technique: str
    text: str
    expects: Mapping[str, float] = field(default_factory=dict)
    bottleneck: str | None = None
    card: str | None = None
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One finished attempt. number: from 1 (the initial kernel). parent: attempt it was made from, 0 = none.

    fabricated_citations: how many citations of its proposal were dropped because no look-up of the run had returned them.
    reason: why another proposer than the one asked for made it; empty if none did.
    """

    number: int
    parent: int
    proposer: str
    candidate: Candidate
    hypothesis: Hypothesis | None
    evaluation: Evaluation
    fabricated_citations: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TuningPoint:
    """One point of a tuning search, a line of `tuning.jsonl`.

    point: tunable -> value. launch: case -> tunable -> value, where a case has another value than the point.
    geomean_us: None unless every case passed. A point is screened, not promoted: only an attempt can become incumbent.
    case_us: time of each perf case as far as they were timed.
    """

    point: Mapping[str, int]
    launch: Mapping[str, Mapping[str, str]]
    label: str
    """Outcome with its reason, as in `Evaluation.label`."""
    geomean_us: float | None
    message: str = ""
    case_us: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PendingAttempt:
    """An attempt that was begun and has no outcome yet; fields as in `Attempt`."""

    number: int
    parent: int
    proposer: str
    candidate: Candidate
    hypothesis: Hypothesis | None
    fabricated_citations: int = 0
    reason: str = ""
