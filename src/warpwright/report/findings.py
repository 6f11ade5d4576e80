"""What a session's record says, worked out once for tables, JSON and HTML."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from warpwright.benchmark.figure import PairedCase, PairedFigure
from warpwright.evaluation.outcome import CaseEvaluation
from warpwright.record.attempt import Attempt
from warpwright.record.evidence import TimesFrom, times_from
from warpwright.record.session import Session
from warpwright.workload.model import CaseKind, Workload


@dataclass(frozen=True, slots=True)
class CaseGain:
    """One case under the initial and under the best kernel; None is unknown."""

    name: str
    kind: CaseKind
    passed: bool | None
    initial_us: float | None
    best_us: float | None
    floor_us: float | None
    floor_binding: str | None
    binding: str | None
    """Largest term of the best kernel's estimate."""
    message: str
    paired: PairedCase | None = None
    """What the published paired run says of this case."""
    remarks: tuple[str, ...] = ()
    """What weakens the measured time: `degraded`, `truncated`, `resolution_limited` ..."""

    @property
    def speedup(self) -> float | None:
        """Initial over best time: of the published paired run, else of the two records."""
        if self.paired is not None:
            return self.paired.speedup
        return self.initial_us / self.best_us if self.initial_us and self.best_us else None

    @property
    def floor_ratio(self) -> float | None:
        """Floor over best time: 1 = at the floor."""
        return self.floor_us / self.best_us if self.floor_us and self.best_us else None


@dataclass(frozen=True, slots=True)
class Findings:
    """A session at one moment.

    initial: attempt 1 if it has a time. best: the attempt that passed everything and is fastest. gains: every case of
    the workload, under the best attempt, else the first. times: None if there is no time.
    """

    attempts: Sequence[Attempt]
    incumbents: Sequence[int]
    initial: Attempt | None
    best: Attempt | None
    gains: Sequence[CaseGain]
    times: TimesFrom | None
    published: PairedFigure | None = None
    """The paired run after the search; None before it, on the emulator, or if there could be none."""
    published_reference: PairedFigure | None = None

    @property
    def estimated(self) -> bool:
        """True if times are a model's estimates, not measurements."""
        return self.times is not None and self.times.estimated

    @property
    def initial_us(self) -> float | None:
        """Geometric mean of the initial kernel over the perf cases."""
        return None if self.initial is None else self.initial.evaluation.geomean_us

    @property
    def best_us(self) -> float | None:
        """Geometric mean of the best kernel over the perf cases."""
        return None if self.best is None else self.best.evaluation.geomean_us

    @property
    def speedup(self) -> float | None:
        """Initial over best geometric mean: of the published paired run, else of the two records."""
        if self.published is not None:
            return self.published.speedup
        return None if self.best is None else self.speedup_of(self.best)

    @property
    def floor_ratio(self) -> float | None:
        """Geometric mean of floor over best time, over the timed cases; None unless every one has a floor."""
        timed = [gain for gain in self.gains if gain.best_us is not None]
        ratios = [gain.floor_ratio for gain in timed if gain.floor_ratio is not None]
        return geometric_mean(ratios) if len(ratios) == len(timed) else None

    @property
    def worst(self) -> CaseGain | None:
        """The case that gained least."""
        ranked = [(gain.speedup, gain) for gain in self.gains if gain.speedup is not None]
        return min(ranked, key=lambda pair: pair[0])[1] if ranked else None

    @property
    def outcomes(self) -> Mapping[str, int]:
        """Outcome -> number of attempts, most frequent first."""
        return dict(Counter(a.evaluation.outcome.value for a in self.attempts).most_common())

    def speedup_of(self, attempt: Attempt) -> float | None:
        """Time of the initial kernel over time of an attempt."""
        own = attempt.evaluation.geomean_us
        return self.initial_us / own if self.initial_us and own else None

    def parent_of(self, attempt: Attempt) -> Attempt | None:
        """The attempt that another was made from."""
        return self.attempts[attempt.parent - 1] if attempt.parent else None


def findings(session: Session) -> Findings:
    """Everything worked out from a session's record."""
    attempts = session.attempts()
    first = attempts[0] if attempts else None
    number = session.best()
    best = attempts[number - 1] if number else None
    initial = first if first is not None and first.evaluation.geomean_us is not None else None
    summary = session.summary()
    published = None if summary is None else summary.published
    return Findings(
        attempts=attempts,
        incumbents=session.incumbents(),
        initial=initial,
        best=best,
        gains=_with_paired(_gains(session.workload, first, best), published),
        times=times_from(attempt.evaluation for attempt in attempts),
        published=published,
        published_reference=None if summary is None else summary.published_reference,
    )


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """Geometric mean; None of nothing."""
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if ratios else None


def median_us(case: CaseEvaluation | None) -> float | None:
    """Time of a case, None where it has none."""
    return None if case is None or case.timing is None else case.timing.median_us


def time_flags(case: CaseEvaluation) -> tuple[str, ...]:
    """What weakens a measured time, in words; nothing for an estimate."""
    measurement = None if case.timing is None else case.timing.measurement
    return () if measurement is None else tuple(flag.replace("_", " ") for flag in measurement.flags)


def _gains(workload: Workload, first: Attempt | None, best: Attempt | None) -> tuple[CaseGain, ...]:
    """Every case of the workload; one that the device does not have was not run and counts as nothing."""
    if first is None:
        return ()
    shown = {case.name: case for case in (best or first).evaluation.cases}
    initial = {case.name: case for case in first.evaluation.cases}
    elsewhere = "not run on this device" if shown else "not reached"
    cases = [*shown.values()]
    cases += [CaseEvaluation(c.name, c.kind, None, message=elsewhere) for c in workload.cases if c.name not in shown]
    return tuple(_gain(case, initial.get(case.name), has_best=best is not None) for case in cases)


def _with_paired(gains: Sequence[CaseGain], published: PairedFigure | None) -> tuple[CaseGain, ...]:
    paired = {} if published is None else {case.name: case for case in published.cases}
    return tuple(replace(gain, paired=paired.get(gain.name)) for gain in gains)


def _gain(case: CaseEvaluation, initial: CaseEvaluation | None, *, has_best: bool) -> CaseGain:
    return CaseGain(
        name=case.name,
        kind=case.kind,
        passed=case.passed,
        initial_us=median_us(initial),
        best_us=median_us(case) if has_best else None,
        floor_us=case.floor_us,
        floor_binding=case.floor_binding,
        binding=case.timing.binding if has_best and case.timing is not None else None,
        message=case.message,
        remarks=time_flags(case) if has_best else (),
    )
