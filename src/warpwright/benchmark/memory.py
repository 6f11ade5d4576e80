"""Whether a kernel remembers answers: host-made values repeat under the clock, where a copied answer is right and costs less.

Values that a schedule holds back come once, in launches at random (M8). With values of one kind the first look suffices; that
an honest kernel may take longer with some values than with others, a second schedule in a fresh process settles: it holds
back values that the first one repeated, and compares each with itself.
"""

import math
from collections.abc import Mapping, Sequence

from warpwright.benchmark.series import Series
from warpwright.benchmark.statistics import median
from warpwright.device.measurement import Phase

MOST_RATIO = 1.15
"""Median times of single launches of one kernel differ by less, from process to process, too."""
_LEAST_LAUNCHES = 2


def unmet_ratio(series: Series, side: int) -> float | None:
    """How many times as long launches took with values that had not come before; None: too few of them count."""
    new, met = _split(series, side)
    times = [us for each in new.values() for us in each]
    if len(times) < _LEAST_LAUNCHES or not met:
        return None
    return _ratio(times, [us for each in met.values() for us in each])


def same_values_ratio(met: Series, unmet: Series, side: int) -> float | None:
    """How many times as long launches of one took with values that it had held back as launches of the other with the same
    values, which it repeated; None: too few of them count.
    """
    new, repeated = _split(unmet, side)[0], _split(met, side)[1]
    ratios = [_ratio(times, repeated[seed]) for seed, times in new.items() if seed in repeated]
    known = [ratio for ratio in ratios if ratio is not None]
    return median(known) if len(known) >= _LEAST_LAUNCHES else None


def repeated_values(series: Series, side: int) -> tuple[int, ...]:
    """Values that measured launches of the side took turns with."""
    return tuple(_split(series, side)[1])


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
