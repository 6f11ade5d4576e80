"""The order in which points of a space are tried."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from warpwright.proposer.strategist.tuner.combo import Known, next_point
from warpwright.proposer.strategist.tuner.space import Point, Space
from warpwright.record.attempt import TuningPoint

EXHAUSTIVE = 300
"""Below this many possible points all are tried, in random order."""
START_COUNT = 16
"""Random points before `combo` begins to judge; at most a third of the budget."""


def next_in_space(space: Space, known: Sequence[Known], budget: int, seed: int) -> Point | None:
    """The next point to try; None when every possible point is known or the budget is used up."""
    if len(known) >= budget:
        return None
    points = space.points
    if points is not None and len(points) < EXHAUSTIVE and len(points) <= budget:
        seen = {k.point for k in known}
        return next((p for p in _shuffled(space, points, seed) if p not in seen), None)
    return next_point(space, known, max(1, min(START_COUNT, budget // 3)), seed)


def _shuffled(space: Space, points: Sequence[Point], seed: int) -> list[Point]:
    """The default first, for it is what the others are compared with; then in random order."""
    order = [points[i] for i in np.random.default_rng((seed, 0)).permutation(len(points))]
    default = (0,) * len(space.names)
    return sorted(order, key=lambda p: p != default)


def search(
    space: Space,
    evaluate: Callable[[Mapping[str, int]], float | None],
    *,
    known: Sequence[TuningPoint] = (),
    budget: int,
    seed: int = 0,
) -> Iterator[TuningPoint]:
    """Try points until the budget (known points included) is used up or nothing is left; yields each as it is known.

    evaluate: time of a point in us, None if it failed.
    """
    seen = known_points(space, known)
    while (point := next_in_space(space, seen, budget, seed)) is not None:
        named = space.named(point)
        time_us = evaluate(named)
        seen.append(Known(point, time_us))
        yield TuningPoint(named, {}, "passed" if time_us is not None else "failed", time_us)


def known_points(space: Space, points: Sequence[TuningPoint]) -> list[Known]:
    """Recorded points of this space without launch settings of their own, in the order they were tried."""
    plain = [(space.indexed(p.point), p.geomean_us) for p in points if not p.launch]
    return [Known(point, time_us) for point, time_us in plain if point is not None]
