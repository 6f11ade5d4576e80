"""The order in which points of a space are tried."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np

from warpwright.proposer.strategist.tuner.combo import Known, next_point
from warpwright.proposer.strategist.tuner.space import Point, Space
from warpwright.record.attempt import TuningPoint

START_COUNT = 5
"""Points before `combo` begins to judge, and at least those that a space begins with; at most a third of the budget."""
PATIENCE = 12
"""Points in a row without a gain that end a search; where a point has more one-step neighbours, as many as those. On four
spaces of the examples that were tried whole (30 to 360 points) the search then ended 0.3 % from the optimum on average, after
21 points; with four more it would be 0.1 % and 26 points."""
LEAST_GAIN = 0.01
"""A best that is better by less than this part counts as none: repeated measurements differ as much."""
EXHAUSTIVE = START_COUNT + PATIENCE
"""Spaces with no more possible points are tried whole, in random order."""


def next_in_space(
    space: Space, known: Sequence[Known], budget: int, seed: int, bests: Sequence[float] | None = None
) -> Point | None:
    """The next point to try; None when every possible point is known, the budget is used up or nothing is gained.

    bests: after each known point the figure that counts as gain, where that is not the best time.
    """
    if len(known) >= budget:
        return None
    points = space.points
    if points is not None and len(points) <= min(EXHAUSTIVE, budget):
        seen = {k.point for k in known}
        return next((p for p in _shuffled(space, points, seed) if p not in seen), None)
    times = [math.inf if k.time_us is None else k.time_us for k in known]
    if settled(space, list(accumulate(times, min)) if bests is None else bests):
        return None
    return next_point(space, known, max(1, min(_start_count(space), budget // 3)), seed)


def settled(space: Space, bests: Sequence[float]) -> bool:
    """True if the last points, the start not counted, gained nothing over those before. bests: after each point."""
    patience = max(PATIENCE, sum(len(choice) - 1 for choice in space.choices))
    if len(bests) < _start_count(space) + patience:
        return False
    return bests[-1] >= (1 - LEAST_GAIN) * bests[-patience - 1]


def _start_count(space: Space) -> int:
    return max(START_COUNT, len(space.beginning))


def _shuffled(space: Space, points: Sequence[Point], seed: int) -> list[Point]:
    """What the others are compared with first, then the others in random order."""
    order = [points[i] for i in np.random.default_rng((seed, 0)).permutation(len(points))]
    return list(dict.fromkeys([*space.beginning, *order]))


def search(
    space: Space,
    evaluate: Callable[[Mapping[str, int]], float | None],
    *,
    known: Sequence[TuningPoint] = (),
    budget: int,
    seed: int = 0,
) -> Iterator[TuningPoint]:
    """Try points until the budget (known points included) is used up, nothing is gained or nothing is left.

    Yields each as it is known. evaluate: time of a point in us, None if it failed.
    """
    seen = known_points(space, known)
    while (point := next_in_space(space, seen, budget, seed)) is not None:
        named = space.named(point)
        time_us = evaluate(named)
        seen.append(Known(point, time_us))
        yield TuningPoint(named, {}, "passed" if time_us is not None else "failed", time_us)


def known_points(space: Space, points: Sequence[TuningPoint], case: str | None = None) -> list[Known]:
    """Recorded points of this space without values of single cases, in the order they were tried.

    case: judge them by this case's time; None = by the geometric mean.
    """
    plain = [(space.indexed(p.point), _time_us(p, case)) for p in points if not p.launch]
    return [Known(point, time_us) for point, time_us in plain if point is not None]


def _time_us(point: TuningPoint, case: str | None) -> float | None:
    return point.geomean_us if case is None else point.case_us.get(case)
