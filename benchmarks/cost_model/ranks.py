"""How well estimates rank and size measured times."""

import math
from collections.abc import Sequence
from itertools import combinations

DIFFERENT_RATIO = 1.03
"""Pairs measured closer than this are not expected to be told apart."""


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Correlation of ranks, ties sharing their mean rank; nan for fewer than two values."""
    x, y = _ranks(a), _ranks(b)
    n = len(x)
    mean = (n - 1) / 2
    top = sum((p - mean) * (q - mean) for p, q in zip(x, y, strict=True))
    bottom = math.sqrt(sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y))
    return top / bottom if bottom else math.nan


def kendall(estimated: Sequence[float], measured: Sequence[float]) -> float:
    """(pairs in the right order - pairs in the wrong order) / pairs that differ in the measurement; nan without such."""
    right = wrong = 0
    for (e, m), (f, n) in combinations(zip(estimated, measured, strict=True), 2):
        if max(m, n) < DIFFERENT_RATIO * min(m, n):
            continue
        if (e - f) * (m - n) > 0:
            right += 1
        else:
            wrong += 1
    return (right - wrong) / (right + wrong) if right + wrong else math.nan


def mean_factor(estimated: Sequence[float], measured: Sequence[float]) -> float:
    """Geometric mean of how far off estimates are, in either direction; 1 = all right."""
    return math.exp(sum(abs(math.log(e / m)) for e, m in zip(estimated, measured, strict=True)) / len(measured))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]
