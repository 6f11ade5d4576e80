"""What changed between two profiles of the same case."""

import math

from warpwright.profiler.counters import metrics
from warpwright.profiler.diagnosis.finding import CounterChange
from warpwright.profiler.profile import CaseProfile

NOISE_RATIO = 0.02
"""A counter that moved by less has not moved."""

RATIO_NOISE = 0.005
"""The same for parts of a whole, which are near 0 where their unit has nothing to do: half a per cent of it."""


def changes(before: CaseProfile, after: CaseProfile) -> tuple[CounterChange, ...]:
    """Counters of the longest launch that both know and that moved beyond noise, the largest change first."""
    old, new = before.main, after.main
    found = [
        CounterChange(name, old.counters[name].value, new.counters[name].value)
        for name in metrics()
        if name in old.counters and name in new.counters
    ]
    return tuple(sorted((change for change in found if moved(change)), key=lambda change: -_distance(change)))


def moved(change: CounterChange) -> bool:
    """Whether a change is beyond noise."""
    difference = abs(change.after - change.before)
    metric = metrics().get(change.counter)
    if metric is not None and metric.is_ratio and difference <= RATIO_NOISE:
        return False
    return difference > NOISE_RATIO * abs(change.before)


def _distance(change: CounterChange) -> float:
    """How far it moved on a log scale; from or to 0 is farthest."""
    ends = (abs(change.before), abs(change.after))
    return math.inf if 0.0 in ends else abs(math.log(ends[1]) - math.log(ends[0]))
