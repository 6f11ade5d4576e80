"""`combo`: the next point of a search too large to exhaust, from three judges of what is known.

Ridge regression on log time with main effects and pairs, counts of values among the good and the rest, and one-step
neighbours of the best. Each call is a pure function of the known points and the seed, so a killed search goes on as it
would have.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from warpwright.proposer.strategist.tuner.space import Point, Space

GOOD_SHARE = 0.2
"""The best fifth counts as good."""
RIDGE = 1.0
FAILURE_FACTOR = 1.5
"""A point that failed counts as this many times the worst time seen."""
ROUND = 6
"""Proposals of a round: the last is random."""
_POOL = 2_000

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Known:
    """A point with its time; None = it failed."""

    point: Point
    time_us: float | None


def next_point(space: Space, known: Sequence[Known], start_count: int, seed: int) -> Point | None:
    """The point to try next, or None if no possible point is left unseen."""
    seen = {k.point for k in known}
    rng = np.random.default_rng((seed, len(known)))
    passed = [k for k in known if k.time_us is not None]
    if len(known) < start_count or not passed:
        return _unseen(_start_order(space, seed), seen) or _unseen(space.sample(rng, _POOL), seen)
    pool = [p for p in _pool(space, known, rng) if p not in seen]
    if not pool:
        return None
    turn = len(known) - start_count
    if turn % ROUND == ROUND - 1:
        return pool[int(rng.integers(len(pool)))]
    by_ridge, by_counts = _ridge_scores(known, pool), _count_scores(space, known, pool)
    role = turn % ROUND
    if role in (1, 4):
        return pool[int(np.argmin(by_counts if role == 1 else by_ridge))]
    ranked = sorted(passed, key=lambda k: k.time_us or 0.0)
    centre = ranked[min(role // 3, len(ranked) - 1)].point
    return _near(centre, pool, _ranks(by_ridge) + _ranks(by_counts), rng)


def _start_order(space: Space, seed: int) -> list[Point]:
    """Where the search begins, then a spread of random points."""
    return [*space.beginning, *space.sample(np.random.default_rng((seed, 1)), 200)]


def _unseen(points: Sequence[Point], seen: set[Point]) -> Point | None:
    return next((p for p in points if p not in seen), None)


def _pool(space: Space, known: Sequence[Known], rng: np.random.Generator) -> list[Point]:
    if space.points is not None:
        return list(space.points)
    passed = sorted((k for k in known if k.time_us is not None), key=lambda k: k.time_us or 0.0)
    near = [p for k in passed[:3] for p in space.neighbours(k.point)]
    return list(dict.fromkeys(near + space.sample(rng, _POOL)))


def _near(centre: Point, pool: Sequence[Point], rank: Floats, rng: np.random.Generator) -> Point:
    """Best-ranked unseen point one step from the centre; one of those two steps away when those have been used up."""
    distance = np.array([sum(a != b for a, b in zip(p, centre, strict=True)) for p in pool])
    near = np.flatnonzero(distance == 1)
    if near.size:
        return pool[int(near[int(np.argmin(rank[near]))])]
    near = np.flatnonzero(distance == 2)
    return pool[int(near[int(rng.integers(near.size))])] if near.size else pool[int(np.argmin(rank))]


def _log_times(known: Sequence[Known]) -> Floats:
    worst = max(k.time_us for k in known if k.time_us is not None)
    return np.log([worst * FAILURE_FACTOR if k.time_us is None else k.time_us for k in known])


def _ridge_scores(known: Sequence[Known], pool: Sequence[Point]) -> Floats:
    """Predicted log time. The kernel 1 + m + m (m - 1) / 2, m = equal coordinates, is one-hot main effects and pairs."""
    seen, ahead = np.array([k.point for k in known]), np.array(pool)
    times = _log_times(known)
    mean = float(times.mean())
    weights = np.linalg.solve(_gram(seen, seen) + RIDGE * np.eye(len(seen)), times - mean)
    return np.asarray(mean + _gram(ahead, seen) @ weights, dtype=np.float64)


def _gram(left: np.ndarray, right: np.ndarray) -> Floats:
    equal = (left[:, None, :] == right[None, :, :]).sum(axis=2).astype(np.float64)
    return np.asarray(1.0 + equal + equal * (equal - 1.0) / 2.0, dtype=np.float64)


def _count_scores(space: Space, known: Sequence[Known], pool: Sequence[Point]) -> Floats:
    """Log odds, per value, of being in the rest against being among the good; low is promising."""
    order = np.argsort(_log_times(known), kind="stable")
    seen, ahead = np.array([k.point for k in known])[order], np.array(pool)
    cut = max(1, round(GOOD_SHARE * len(seen)))
    score = np.zeros(len(pool))
    for axis, choice in enumerate(space.choices):
        good = np.bincount(seen[:cut, axis], minlength=len(choice)) + 1.0
        rest = np.bincount(seen[cut:, axis], minlength=len(choice)) + 1.0
        score += (np.log(rest / rest.sum()) - np.log(good / good.sum()))[ahead[:, axis]]
    return score


def _ranks(score: Floats) -> Floats:
    return np.argsort(np.argsort(score, kind="stable"), kind="stable").astype(np.float64)
