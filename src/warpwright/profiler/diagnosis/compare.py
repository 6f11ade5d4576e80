"""What changed between two profiles of the same case."""

import math

from warpwright.profiler.counters import metrics
from warpwright.profiler.diagnosis.figures import figures
from warpwright.profiler.diagnosis.finding import CounterChange
from warpwright.profiler.diagnosis.pairing import Pair, incomparable, paired
from warpwright.profiler.profile import CaseProfile


def changes(before: CaseProfile, after: CaseProfile) -> tuple[CounterChange, ...]:
    """Counters of the same launch that both know, counted alike, and that moved beyond noise; the largest change first.

    Empty where no launch of `after` is known to be the longest one of `before`: `not_compared` says why.
    """
    pair = paired(before, after)
    if not isinstance(pair, Pair):
        return ()
    old, new = pair.before.counters, pair.after.counters
    found = [
        CounterChange(name, old[name].value, new[name].value)
        for name in metrics()
        if name in old and name in new and incomparable(old[name], new[name]) is None
    ]
    return tuple(sorted((change for change in found if moved(change)), key=lambda change: -_distance(change)))


def not_compared(before: CaseProfile, after: CaseProfile) -> str | None:
    """What kept two profiles from being compared in full, in a sentence; None: nothing did."""
    pair = paired(before, after)
    if not isinstance(pair, Pair):
        return pair.reason
    old, new = pair.before.counters, pair.after.counters
    left_out = [name for name in metrics() if name in old and name in new and incomparable(old[name], new[name])]
    if not left_out:
        return None
    return f"not compared, because they were not counted alike: {', '.join(left_out)} ({before.tool}; {after.tool})"


def moved(change: CounterChange) -> bool:
    """Whether a change is beyond noise."""
    difference = abs(change.after - change.before)
    metric = metrics().get(change.counter)
    if metric is not None and metric.is_ratio and difference <= figures().noise_of_ratios:
        return False
    return difference > figures().noise_ratio * abs(change.before)


def _distance(change: CounterChange) -> float:
    """How far it moved on a log scale; from or to 0 is farthest."""
    ends = (abs(change.before), abs(change.after))
    return math.inf if 0.0 in ends else abs(math.log(ends[1]) - math.log(ends[0]))
