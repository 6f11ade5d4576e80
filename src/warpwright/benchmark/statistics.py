"""Statistics of launch times: the median, its order-statistic interval, percentiles and spread (measurement.md M28, M29)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """How a set of samples lies; all in microseconds but `cv_ratio` (standard deviation over mean) and `count`.

    median_low_us, median_high_us: order-statistic interval of the median, None where too few samples give no 95 %.
    mad_us: median absolute deviation from the median.
    """

    count: int
    min_us: float
    p5_us: float
    q1_us: float
    median_us: float
    q3_us: float
    p95_us: float
    max_us: float
    mean_us: float
    mad_us: float
    cv_ratio: float
    median_low_us: float | None
    median_high_us: float | None


def median(samples: Sequence[float]) -> float:
    """Middle of the sorted samples; mean of the middle two if their number is even. Raises: ValueError if unusable."""
    return percentile(samples, 50.0)


def percentile(samples: Sequence[float], percent: float) -> float:
    """Linear interpolation between order statistics (NumPy's default). percent: 0..100."""
    return float(np.percentile(usable(samples), percent))


def interval_ranks(count: int, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """1-based ranks (k, count + 1 - k) whose order statistics hold the median with at least `confidence`.

    40 and 61 of 100 (exact coverage 96.5 %); None if even minimum and maximum do not reach it (fewer than 6 samples at
    95 %). Source: the number of samples below the median is binomial(count, 1/2).
    """
    missed = 0.0
    best = None
    for rank in range(1, count // 2 + 1):
        missed += 2.0 * math.comb(count, rank - 1) / 2**count
        if 1.0 - missed < confidence:
            break
        best = rank
    return None if best is None else (best, count + 1 - best)


def median_interval(samples: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Interval of the median from the order statistics; no assumption on the distribution. None: too few samples."""
    ordered = np.sort(usable(samples))
    ranks = interval_ranks(len(ordered), confidence)
    return None if ranks is None else (float(ordered[ranks[0] - 1]), float(ordered[ranks[1] - 1]))


def spread(samples: Sequence[float]) -> Spread:
    """Everything that is reported of one timed case. Raises: ValueError if a sample is not a positive finite time."""
    values = usable(samples)
    middle = float(np.median(values))
    mean = float(np.mean(values))
    interval = median_interval(samples)
    return Spread(
        count=len(values),
        min_us=float(values.min()),
        p5_us=float(np.percentile(values, 5)),
        q1_us=float(np.percentile(values, 25)),
        median_us=middle,
        q3_us=float(np.percentile(values, 75)),
        p95_us=float(np.percentile(values, 95)),
        max_us=float(values.max()),
        mean_us=mean,
        mad_us=float(np.median(np.abs(values - middle))),
        cv_ratio=float(np.std(values)) / mean,
        median_low_us=None if interval is None else interval[0],
        median_high_us=None if interval is None else interval[1],
    )


def usable(samples: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The samples as float64; 0, negative, NaN and infinite times never enter a statistic. Raises: ValueError."""
    values = np.asarray(samples, dtype=np.float64)
    if values.size == 0:
        raise ValueError("no samples: a time needs at least one launch")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if wrong.size:
        first = int(wrong[0])
        raise ValueError(f"sample {first} of {values.size} is {values[first]} us; a launch time is finite and above 0")
    return values
