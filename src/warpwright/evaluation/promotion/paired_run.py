"""Both sides of a comparison under one clock, case by case, in as many rounds as are needed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from warpwright.benchmark.empty_launch import EmptyLaunches
from warpwright.benchmark.figure import PairedSamples
from warpwright.benchmark.floors import Below, Zone, below_floor, measured_floors
from warpwright.benchmark.measure import launch_bound
from warpwright.benchmark.memory import remembered, suspected
from warpwright.benchmark.paired import LEAST_ROUNDS, Effects, round_effects
from warpwright.benchmark.schedule import CONTENDER, PAIRED, Counts, paired_rounds
from warpwright.benchmark.series import Series, Stream, TimedCase, replanned, take_series
from warpwright.benchmark.statistics import median
from warpwright.device.measurement import CheckedLaunch, Measurement
from warpwright.device.measuring import Contestant, MeasuringDevice
from warpwright.device.protocol import Faulted, TimeSource
from warpwright.evaluation.course import Course, StageListener
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.timing.floor_failure import floor_failure
from warpwright.evaluation.timing.limits import SCHEDULE_S
from warpwright.evaluation.timing.memory_failure import memory_failure
from warpwright.evaluation.timing.timed_cases import TimedCases
from warpwright.evaluation.timing.timed_fault import timed_failure
from warpwright.evaluation.timing.timed_outputs import check_outputs
from warpwright.evaluation.timing.timer import TimedSubject
from warpwright.verifier.evidence import case_text
from warpwright.verifier.host_values import HostValues
from warpwright.workload.model import Case, CaseKind

INCUMBENT = 0


@dataclass(frozen=True, slots=True)
class PairedBench:
    """What paired runs of one workload share."""

    values: HostValues
    device: MeasuringDevice
    cases: TimedCases
    empties: EmptyLaunches


@dataclass(frozen=True, slots=True)
class _Taken:
    series: Series
    checked: tuple[CheckedLaunch, ...]


@dataclass(slots=True)
class PairedRun:
    """A comparison under way. purpose: opens the names of its secret streams; both sides are built and verified."""

    bench: PairedBench
    incumbent: Course
    contender: Course
    purpose: str
    _series: dict[str, list[Series]] = field(default_factory=dict)
    _measurements: dict[str, list[Measurement]] = field(default_factory=dict)

    def extend(self, rounds: int, listener: StageListener | None) -> Failure | None:
        """Run that many more rounds of every perf case in a fresh process; the contender's failure, if it fails.

        A fault is put down to the contender; whether the incumbent fails beside a copy of itself is for the caller to find out.
        """
        self.bench.device.renew()
        for case in self.ranked:
            if listener is not None:
                listener(f"{self.purpose} {case.name}")
            failure = self._take(case, rounds)
            if failure is not None:
                return failure
        self.bench.device.rest()
        return None

    @property
    def ranked(self) -> Sequence[Case]:
        """The cases that count."""
        return [case for case in self.contender.cases if case.kind is CaseKind.PERF]

    def effects(self) -> dict[str, Effects]:
        """Case -> d of every finished round; all cases cut to as many rounds as the one with the fewest."""
        found = {
            name: np.concatenate([round_effects(s.rounds(INCUMBENT), s.rounds(CONTENDER)) for s in runs])
            for name, runs in self._series.items()
        }
        count = min(len(d) for d in found.values())
        return {name: d[:count] for name, d in found.items()}

    def samples(self) -> dict[str, PairedSamples]:
        """Case -> all launches that count, with their records. Only after a run with finished rounds."""
        return {case.name: self._samples(case) for case in self.ranked}

    def launch_bound(self) -> frozenset[str]:
        """Cases in which the incumbent is mostly launch latency."""
        return frozenset(name for name, samples in self.samples().items() if samples.launch_bound)

    def _samples(self, case: Case) -> PairedSamples:
        runs = self._series[case.name]
        first, second = ([us for series in runs for us in series.samples_us(side)] for side in (INCUMBENT, CONTENDER))
        empty = self.bench.empties.of(self.incumbent.plans[case.name])
        return PairedSamples(first, second, tuple(self._measurements[case.name]), launch_bound(median(first), empty))

    def cut_short(self) -> tuple[str, ...]:
        """Cases whose compared launches of the contender did not all run before the time limit."""
        return tuple(name for name, runs in self._series.items() if not all(each.proved(CONTENDER) for each in runs))

    def _take(self, case: Case, rounds: int) -> Failure | None:
        known = self._known_us(case)
        timed = self.bench.cases.of(case, max(known, default=None))
        timed = replace(timed, time_limit_s=2 * timed.time_limit_s, fixed_s=2 * timed.fixed_s)
        counts = timed.planned(replace(PAIRED, rounds=rounds), sum(known) or None, LEAST_ROUNDS)
        taken = self._timed(case, timed, counts)
        if isinstance(taken, Failure):
            return taken
        shorter = replanned(timed, taken.series, CONTENDER, LEAST_ROUNDS)
        if shorter is not None:
            self.bench.device.renew()
            taken = self._timed(case, timed, shorter)
            if isinstance(taken, Failure):
                return taken
        taken = self._without_memory(case, timed, taken)
        if isinstance(taken, Failure):
            return taken
        below = self._below(case, taken.series)
        if below is not None:
            timed = timed.stricter() if below.zone is Zone.SOFT else timed
            self.bench.device.renew()
            taken = self._timed(case, timed, taken.series.counts)
            if isinstance(taken, Failure):
                return taken
            below = self._below(case, taken.series, afresh=below.zone is Zone.HARD)
            if below is not None:
                return floor_failure(case, below, repeated=True)
        self._series.setdefault(case.name, []).append(taken.series)
        self._measurements.setdefault(case.name, []).append(self._record(timed, taken))
        return None

    def _without_memory(self, case: Case, timed: TimedCase, taken: _Taken) -> _Taken | Failure:
        """The run; where values that had not come before took the contender longer, another one that holds back others."""
        hold_back = () if self.contender is self.incumbent else suspected(taken.series, CONTENDER)
        if not hold_back:
            return taken
        self.bench.device.renew()
        again = self._timed(case, timed, taken.series.counts, hold_back)
        if isinstance(again, Failure):
            return again
        ratio = remembered(taken.series, again.series, CONTENDER)
        return again if ratio is None else memory_failure(case, ratio)

    def _below(self, case: Case, series: Series, *, afresh: bool = False) -> Below | None:
        """The floor that the contender breaks; beside a copy of itself the incumbent is accused of nothing."""
        samples = series.samples_us(CONTENDER)
        if self.contender is self.incumbent or not samples:
            return None
        floors = measured_floors(self.bench.values.workload, case, self.bench.device.spec)
        empty = self.bench.empties.of(self.contender.plans[case.name], afresh=afresh)
        return below_floor(samples, median(samples), floors, empty)

    def _timed(
        self, case: Case, timed: TimedCase, counts: Counts, hold_back: tuple[int, ...] | None = None
    ) -> _Taken | Failure:
        """One schedule in the process that there is, with right outputs and usable times."""
        stream = self.bench.cases.stream(self.purpose, self.contender.candidate.identity)
        order = paired_rounds(range(counts.rounds), timed.draw(f"{stream}/order").random)
        sides = [Contestant(side.program(case), side.plans[case.name]) for side in (self.incumbent, self.contender)]
        series = take_series(self.bench.device, timed, sides, order, Stream(stream, counts, hold_back))
        if isinstance(series, Faulted):
            subject = TimedSubject(self.contender.program(case), self.contender.plans[case.name], case)
            return timed_failure(subject, series.fault)
        checked = check_outputs(self.bench.values, case, series)
        if isinstance(checked, Failure):
            return checked
        wrong = next((us for record in series.records for us in record.samples_us if not _is_time(us)), None)
        if wrong is not None:
            text = f"{case_text(case)}: the events of a launch are {wrong} us apart in a paired run, which is no time"
            return Failure("rejected.below_hard_floor", text)
        return _Taken(series, checked)

    def _known_us(self, case: Case) -> Sequence[float]:
        """Times of both sides by their own records, for the time limit and the plan; empty unless both were measured here."""
        sides = (self.incumbent, self.contender)
        timings = [side.found[case.name].timing for side in sides if case.name in side.found]
        times = [each.median_us for each in timings if each is not None and each.source is TimeSource.MEASURED]
        return times if len(times) == len(sides) else []

    def _record(self, timed: TimedCase, taken: _Taken) -> Measurement:
        series = taken.series
        return Measurement(
            protocol=PAIRED.name,
            stream=series.stream,
            cold_cache=timed.cold_cache,
            sets=series.sets,
            flush_bytes=series.flush_bytes,
            flushes=timed.flushes,
            blocks=tuple(series.records),
            checked=taken.checked,
            truncated=series.cut,
            degraded=series.degraded,
            identity=dict(self.bench.device.identity),
            unavailable=dict(series.unavailable),
        )


def too_slow(run: PairedRun) -> str:
    """Why a run has no figure."""
    cases = ", ".join(case.name for case in run.ranked)
    return f"too few rounds of {cases} end within {2 * SCHEDULE_S:g} s a case for a comparison"


def unproved(cases: Sequence[str]) -> str:
    """Why a run has no figure though it has rounds enough."""
    return (
        f"the time limit ended the paired run of {', '.join(cases)} before all launches ran whose outputs are compared, so it "
        "proves nothing. Every launch must take about as long as in its own record."
    )


def _is_time(us: float) -> bool:
    return math.isfinite(us) and us > 0
