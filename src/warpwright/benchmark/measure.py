"""One candidate on one case under the clock: 10 + 100 launches, taints, empty launch, floors; and the time made of them."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from warpwright.benchmark.empty_launch import EmptyLaunches
from warpwright.benchmark.floors import Below, Floors, Zone, below_floor, hard_floor_us
from warpwright.benchmark.memory import remembered, suspected
from warpwright.benchmark.schedule import FULL, SCREEN, SCREEN_LONG, Counts, held_back, single_rounds
from warpwright.benchmark.series import Series, Stream, TimedCase, replanned, take_series
from warpwright.benchmark.statistics import median, spread
from warpwright.device.measurement import EmptyLaunch, Measurement
from warpwright.device.measuring import Contestant, MeasuringDevice
from warpwright.device.protocol import Faulted, TimeSource, Timing

LONG_UNIT_US = 20_000.0
"""Units longer than this are screened with 1 + 3: thirteen take over a quarter of a second, and nothing else that long."""
LAUNCH_BOUND_RATIO = 3.0
"""A median below this many empty launches is limited by the clock's resolution and the launch itself (M26)."""
_ONLY_SIDE = 0


@dataclass(frozen=True, slots=True)
class Single:
    """All runs of one candidate on one case; the last one counts. below: the floor that it breaks, None = none.

    repeated: a first run lay below a floor, and this is the one that was to settle it. remembered: how many times as long
    launches took with values that they could not remember; None: no longer.
    """

    runs: tuple[Series, ...]
    empty: EmptyLaunch | None
    floors: Floors
    case: TimedCase
    below: Below | None = None
    repeated: bool = False
    remembered: float | None = None

    @property
    def series(self) -> Series:
        """The run that counts."""
        return self.runs[-1]

    @property
    def samples_us(self) -> tuple[float, ...]:
        """Launches that count; empty if the time limit came before the first."""
        return self.series.samples_us(_ONLY_SIDE)

    @property
    def proved(self) -> bool:
        """True if the outputs that must be compared came back; a search compares none, and promotes nothing."""
        return self.series.counts.searching or self.series.proved(_ONLY_SIDE)


def screening_counts(known_us: float | None) -> Counts:
    """How many launches in a search. known_us: of one unit, None = unknown."""
    return SCREEN_LONG if known_us is not None and known_us > LONG_UNIT_US else SCREEN


def measure_single(
    device: MeasuringDevice,
    contestant: Contestant,
    case: TimedCase,
    floors: Floors,
    empties: EmptyLaunches,
    stream: Stream,
) -> Single | Faulted:
    """Measure; a time below a floor is taken again in a fresh process before it accuses anybody (M10 table).

    Below the hard floor the empty launch is timed again too, since the clock may be at fault; below the soft floor the
    sets are doubled and L2 is flushed twice. In a search nothing is taken again. What the time limit ended before the launches
    ran that are compared is taken once more with fewer. Where values that had not come before took longer, a second run holds
    back others. Raises: InfrastructureError if the device fails.
    """
    series = take_series(device, case, [contestant], single_rounds(stream.counts), stream)
    if isinstance(series, Faulted):
        return series
    runs = [series]
    shorter = replanned(case, series, _ONLY_SIDE)
    if shorter is not None:
        stream = Stream(f"{stream.name}/shorter", shorter)
        series = _take_afresh(device, case, contestant, stream)
        if isinstance(series, Faulted):
            return series
        runs.append(series)
    ratio = None
    hold_back = suspected(series, _ONLY_SIDE)
    if hold_back:
        stream = Stream(f"{stream.name}/unmet", stream.counts, hold_back)
        series = _take_afresh(device, case, contestant, stream)
        if isinstance(series, Faulted):
            return series
        runs.append(series)
        ratio = remembered(runs[-2], series, _ONLY_SIDE)
    first = _judged(Single(tuple(runs), empties.of(contestant.plan), floors, case, remembered=ratio))
    if first.below is None or stream.counts.searching:
        return first
    if first.below.zone is Zone.SOFT:
        case = case.stricter()
    again = _take_afresh(device, case, contestant, replace(stream, name=f"{stream.name}/again"))
    if isinstance(again, Faulted):
        return again
    empty = empties.of(contestant.plan, afresh=first.below.zone is Zone.HARD)
    return _judged(Single((*runs, again), empty, floors, case, repeated=True, remembered=ratio))


def _take_afresh(device: MeasuringDevice, case: TimedCase, contestant: Contestant, stream: Stream) -> Series | Faulted:
    device.renew()
    return take_series(device, case, [contestant], single_rounds(stream.counts), stream)


def _judged(single: Single) -> Single:
    samples = single.samples_us
    every = [us for record in single.series.records for us in record.samples_us]
    return replace(single, below=below_floor(every, _median(samples), single.floors, single.empty) if samples else None)


def timing_of(device: MeasuringDevice, single: Single) -> Timing:
    """The time with its whole record. Raises: ValueError if there is no usable sample."""
    samples = single.samples_us
    figures = spread(samples)
    low, high = figures.median_low_us, figures.median_high_us
    return Timing(
        source=TimeSource.MEASURED,
        gpu=device.spec.name,
        samples_us=samples,
        median_us=figures.median_us,
        uncertainty_ratio=0.0 if low is None or high is None else (high - low) / 2 / figures.median_us,
        notes=_notes(single),
        measurement=measurement_of(device, single),
    )


def measurement_of(device: MeasuringDevice, single: Single) -> Measurement:
    """The record of the run that counts. Raises: ValueError if there is no usable sample."""
    series, empty = single.series, single.empty
    figures = spread(single.samples_us)
    unavailable = dict(series.unavailable)
    if empty is None:
        unavailable["t_empty"] = "the device could not time an empty kernel with these launch attributes"
    return Measurement(
        protocol=series.counts.name,
        stream=series.stream,
        cold_cache=single.case.cold_cache,
        sets=series.sets,
        flush_bytes=series.flush_bytes,
        flushes=single.case.flushes,
        blocks=tuple(series.records),
        empty=empty,
        truncated=series.cut,
        degraded=series.degraded,
        resolution_limited=launch_bound(figures.median_us, empty),
        repeated=single.repeated,
        soft_floor_us=single.floors.soft_us,
        hard_floor_us=hard_floor_us(single.floors, empty),
        statistics=asdict(figures),
        identity=dict(device.identity),
        unavailable=unavailable,
    )


def launch_bound(median_us: float, empty: EmptyLaunch | None) -> bool:
    """True if the time is mostly that of launching; False where the empty launch is unknown."""
    return empty is not None and median_us < LAUNCH_BOUND_RATIO * empty.median_us


def _median(samples: Sequence[float]) -> float | None:
    return median(samples) if all(math.isfinite(us) and us > 0 for us in samples) else None


def _notes(single: Single) -> tuple[str, ...]:
    series, notes = single.series, []
    count = len(single.samples_us)
    if series.truncated:
        notes.append(f"truncated: {count} of {series.counts.measured} launches before the time limit.")
    elif series.counts.short:
        notes.append(f"truncated: {count} instead of {FULL.measured} launches, as many as fit into the time limit.")
    if series.degraded:
        notes.append("degraded: the GPU was throttled or its clock low, and so it was when measured again.")
    if launch_bound(median(single.samples_us), single.empty):
        notes.append(f"launch-bound: less than {LAUNCH_BOUND_RATIO:g} times an empty launch.")
    if series.counts.searching:
        notes.append(f"screened with {count} launches.")
    pool = len(single.case.rotation.pool_seeds) - held_back(single.case.rotation)
    if single.case.rotation.pooled and pool < series.counts.launches:
        notes.append(f"inputs made on the host repeat after {pool} launches.")
    return tuple(notes)
