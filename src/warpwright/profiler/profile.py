"""What is known of a candidate on one case: counters by launch, whoever took them, and why the rest is unknown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from warpwright.device.protocol import TimeSource
from warpwright.profiler.counters import Quality

UNNAMED_LAUNCH = "a launch that the record does not name"
"""Entry of the counters of one of several launches in records that do not say of which."""


class Source(StrEnum):
    """Who supplied a counter."""

    NCU = "ncu"
    EMULATOR = "emulator"
    COMPILER = "compiler"
    MODEL = "model"
    """Worked out from others or from a cost model."""


class Cache(StrEnum):
    """What L2 held when the profiled launch began."""

    COLD = "cold"
    WARM = "warm"


@dataclass(frozen=True, slots=True)
class Counter:
    """A known value in the unit of `metrics.toml`. What is unknown has no Counter, and is never 0."""

    value: float
    source: Source
    quality: Quality


@dataclass(frozen=True, slots=True)
class RawMetric:
    """A metric under the tool's own name, so that nothing of a report is lost. unit: as the tool prints it."""

    value: float | str
    unit: str


@dataclass(frozen=True, slots=True)
class RuleResult:
    """A finding of Nsight Compute's own rules. kind: `optimization`, `warning`, `info`, `error`.

    scope: `global` or `local`, what the estimate is about; None: the rule gives no estimate. speedup_percent: its estimate.
    """

    rule: str
    title: str
    message: str
    kind: str
    scope: str | None = None
    speedup_percent: float | None = None


@dataclass(frozen=True, slots=True)
class HotLine:
    """A CUDA source line that holds much of a counter.

    value: what the tool counts there, in its own counting (samples of a stall, sectors in excess), so never a ratio. share: of
    the launch's total of that, 0..1, None unknown.
    instruction: its machine instruction that counts most (`LDG.E`), None unknown.
    """

    line: int
    counter: str
    value: float
    share: float | None = None
    instruction: str | None = None


@dataclass(frozen=True, slots=True)
class LaunchCounters:
    """Counters of one launch of the plan. position: index in the plan. counters: normalised name -> value."""

    position: int
    entry: str
    counters: Mapping[str, Counter]
    rules: tuple[RuleResult, ...] = ()
    hot_lines: tuple[HotLine, ...] = ()
    raw: Mapping[str, RawMetric] = field(default_factory=dict)

    def value(self, name: str) -> float | None:
        """A counter's value; None is unknown."""
        counter = self.counters.get(name)
        return None if counter is None else counter.value


@dataclass(frozen=True, slots=True)
class CaseProfile:
    """Everything known of one candidate on one case; at least one launch.

    subject: identity of the candidate: a profile is never shown beside another source. tool: name and version.
    reason: why there are no hardware counters, with the remedy; None where the tool gave them. missing: normalised name ->
    why it is unknown, where more than "not counted" can be said. notes: what weakens the profile, in sentences.
    time_us: of the case, from its timing, never from a profiler; None unknown. time_source: of that timing; None: a record from
    before it was kept. planned: launches of the plan; None: as many as were counted. uncertainty_ratio: of the time, where it
    is an estimate; None where it was measured, and in older records.
    """

    case: str
    subject: str
    tool: str
    cache: Cache
    launches: tuple[LaunchCounters, ...]
    reason: str | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    time_us: float | None = None
    seconds: float = 0.0
    time_source: TimeSource | None = None
    planned: int | None = None
    uncertainty_ratio: float | None = None

    @property
    def launch_count(self) -> int:
        """Launches of the plan, of which not all need have been counted."""
        return len(self.launches) if self.planned is None else self.planned

    @property
    def main(self) -> LaunchCounters:
        """The longest launch; the first where durations are unknown."""
        return max(self.launches, key=lambda launch: (launch.value("duration_ns") or 0.0, -launch.position))

    @property
    def estimated(self) -> bool:
        """True unless hardware counted. It says nothing of the time, which is measured on every GPU: `time_estimated`."""
        return all(c.quality is not Quality.MEASURED for launch in self.launches for c in launch.counters.values())

    @property
    def time_estimated(self) -> bool:
        """True if the time is an estimate, whoever counted. Only the emulator estimates, where the record does not say."""
        if self.time_source is None:
            return any(c.source is Source.EMULATOR for launch in self.launches for c in launch.counters.values())
        return self.time_source is TimeSource.ESTIMATED
