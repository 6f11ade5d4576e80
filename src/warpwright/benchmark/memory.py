"""Whether a kernel remembers answers: host-made values repeat under the clock, where a copied answer is right and costs less.

Values that a schedule holds back come once, in launches at random (M8). With values of one kind the first look suffices; that
an honest kernel may take longer with some values than with others, a second schedule in a fresh process settles: it holds
back values that the first one repeated, and compares each with itself.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from warpwright.benchmark.series import Series
from warpwright.benchmark.statistics import median
from warpwright.device.measurement import Phase

_MOST_RATIO = 1.15
"""A few launches of one kernel differ by less, from process to process, too."""
_LEAST_LAUNCHES = 2


def suspected(series: Series, side: int) -> tuple[int, ...]:
    """Values that the side repeated, if launches took longer with those that had not come before: another schedule is to hold
    back some of them. Empty: no reason to ask, or too few launches count.
    """
    new, met = _split(series, side)
    times = [us for each in new.values() for us in each]
    if len(times) < _LEAST_LAUNCHES or not met:
        return ()
    ratio = _ratio(times, [us for each in met.values() for us in each])
    return tuple(met) if ratio is not None and ratio > _MOST_RATIO else ()


def remembered(met: Series, unmet: Series, side: int) -> float | None:
    """How many times as long launches took with values that `unmet` held back as with the same values in `met`, which repeated
    them: the geometric mean, so that one remembered value among them tells; None: no longer, or too few of them count.
    """
    new, repeated = _split(unmet, side)[0], _split(met, side)[1]
    ratios = [_ratio(times, repeated[seed]) for seed, times in new.items() if seed in repeated]
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < _LEAST_LAUNCHES:
        return None
    mean = geometric_mean(known)
    return mean if mean > _MOST_RATIO else None


def _ratio(new_us: Sequence[float], met_us: Sequence[float]) -> float | None:
    """Of the medians; None where a sample is no time, which is for the floors to judge."""
    usable = all(math.isfinite(us) and us > 0 for us in (*new_us, *met_us))
    return median(new_us) / median(met_us) if usable else None


def _split(series: Series, side: int) -> tuple[Mapping[int, list[float]], Mapping[int, list[float]]]:
    """Value -> times of the launches that count, of values that had been held back, and of the others."""
    new: dict[int, list[float]] = {}
    met: dict[int, list[float]] = {}
    for block, (record, seeds) in enumerate(zip(series.records, series.seeds, strict=True)):
        if record.side == side and record.phase is Phase.MEASURED:
            for launch, (us, seed) in enumerate(zip(record.samples_us, seeds, strict=True)):
                times = new if (block, launch) in series.unmet else met
                times.setdefault(seed, []).append(us)
    return new, met
