"""What a diagnosis says: bottleneck classes with the evidence that decided them, and how far the case is from its floor."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from warpwright.device.protocol import TimeSource
from warpwright.profiler.emulated import TOOL as EMULATOR
from warpwright.profiler.profile import HotLine


@dataclass(frozen=True, slots=True)
class Evidence:
    """One test of a class: counter, its value, the relation (`>`, `>=`, `<`) and the threshold it was held against.

    against: what a computed threshold is the value of (`max(l2_throughput_ratio, ...)`); None: it is a plain number.
    estimated: the value rests on an estimated counter or time.
    """

    counter: str
    value: float
    relation: str
    threshold: float
    estimated: bool = False
    against: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A bottleneck class that applies.

    bottleneck: `dram_bound`, `pipe_bound:fma` (the part behind the colon is the unit). score: 0..1, how clearly.
    bound: largest speed-up of the launch that curing this alone could bring, None = unknown. text: the finding in one
    sentence for people and prompts. hot_lines: CUDA source lines behind it, where known. hint: a weak sign that something is
    worth a look; it does not say that the class limits the launch. Records from before hints were marked say False.
    bound_estimated: the bound rests on an estimated counter or time. `text` labels its estimated figures itself.
    about: what curing it brings as a rule; a kernel may beat it. None = the class has no such figure.
    """

    bottleneck: str
    score: float
    evidence: tuple[Evidence, ...]
    text: str
    bound: float | None = None
    hot_lines: tuple[HotLine, ...] = ()
    hint: bool = False
    bound_estimated: bool = False
    about: float | None = None
    about_estimated: bool = False

    @property
    def kind(self) -> str:
        """The class without its unit: `pipe_bound`."""
        return self.bottleneck.partition(":")[0]


@dataclass(frozen=True, slots=True)
class CaseDiagnosis:
    """One case of one candidate. entry: the launch that was judged, the longest.

    findings: in order of treatment, the first is the target; empty: no class applies. not_evaluated: class -> counters that
    it needs and that are unknown; such a class is neither true nor false. at_roof: nothing is left to gain here, stop.
    estimated: no hardware counted (the time may be measured all the same). time_source: of the case's timing; None: a record
    from before it was kept.
    """

    case: str
    entry: str
    tool: str
    estimated: bool
    findings: tuple[Finding, ...]
    not_evaluated: Mapping[str, tuple[str, ...]]
    at_roof: bool
    time_us: float | None = None
    floor_us: float | None = None
    floor_binding: str | None = None
    notes: tuple[str, ...] = ()
    time_source: TimeSource | None = None

    @property
    def time_estimated(self) -> bool:
        """True if the time is an estimate. Where the record does not say: the emulator's are."""
        return self.tool == EMULATOR if self.time_source is None else self.time_source is TimeSource.ESTIMATED

    @property
    def target(self) -> Finding | None:
        """The one finding to treat."""
        return self.findings[0] if self.findings else None

    @property
    def limited(self) -> bool:
        """Whether the target is known to limit the case: there is one, it is no hint, and the case is not at its roof."""
        return self.target is not None and not self.target.hint and not self.at_roof

    def claimed_bound(self, finding: Finding) -> float | None:
        """What a finding of this case claims that curing it can bring at most; None: unknown, or no claim.

        A hint is not known to limit anything, and at the roof nothing is left to gain: neither claims a gain.
        """
        return None if finding.hint or self.at_roof else finding.bound

    def claimed_bound_estimated(self, finding: Finding) -> bool | None:
        """Whether `claimed_bound` is an estimate; None where there is none."""
        return None if self.claimed_bound(finding) is None else finding.bound_estimated

    def claimed_about(self, finding: Finding) -> float | None:
        """What a finding of this case claims that curing it brings as a rule; None: no claim, or the bound allows less."""
        bound = self.claimed_bound(finding)
        if finding.about is None or finding.hint or self.at_roof or (bound is not None and bound <= finding.about):
            return None
        return finding.about

    @property
    def runners_up(self) -> tuple[Finding, ...]:
        """At most two more."""
        return self.findings[1:3]

    @property
    def floor_ratio(self) -> float | None:
        """Floor over time: 1 = at the floor; None unknown."""
        return self.floor_us / self.time_us if self.floor_us and self.time_us else None


@dataclass(frozen=True, slots=True)
class CounterChange:
    """One counter of the same case before and after; both known."""

    counter: str
    before: float
    after: float

    @property
    def ratio(self) -> float | None:
        """New over old value; None if the old one was 0."""
        return self.after / self.before if self.before else None


class Verdict(StrEnum):
    """What counters say of a hypothesis, or of one counter that it named."""

    BORNE_OUT = "borne out"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ExpectationCheck:
    """One counter that a hypothesis named. expected, seen: new over old value; seen None = unknown, `reason` says why."""

    counter: str
    expected: float
    seen: float | None
    verdict: Verdict
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptDiagnosis:
    """What is known of an attempt after it was profiled; `diagnosis.json`.

    target_case: the case with the most to gain, whose diagnosis the next step follows. parent, incumbent: attempts that the
    changes are against, 0 = none; the incumbent is the one that the attempt had to beat. checks, verdict: of its hypothesis.
    compared_case: the case that changes and checks are about: the parent's target where it was profiled.
    """

    cases: tuple[CaseDiagnosis, ...]
    target_case: str | None
    parent: int = 0
    incumbent: int = 0
    against_parent: tuple[CounterChange, ...] = ()
    against_incumbent: tuple[CounterChange, ...] = ()
    checks: tuple[ExpectationCheck, ...] = ()
    verdict: Verdict = Verdict.UNKNOWN
    notes: tuple[str, ...] = field(default=())
    compared_case: str | None = None

    @property
    def target(self) -> CaseDiagnosis | None:
        """The diagnosis of the target case."""
        return next((case for case in self.cases if case.case == self.target_case), None)

    @property
    def bottleneck(self) -> str | None:
        """Class of the finding to treat; None: none applies or nothing is known."""
        target = self.target
        return None if target is None or target.target is None else target.target.bottleneck

    @property
    def at_roof(self) -> bool:
        """True if every case is."""
        return bool(self.cases) and all(case.at_roof for case in self.cases)
