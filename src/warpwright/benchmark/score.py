"""The score: geometric mean over perf cases of the median launch time, and what stands beside it (M30, M31)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warpwright.benchmark.statistics import usable


@dataclass(frozen=True, slots=True)
class CaseTime:
    """One perf case: its median and the hard floor below which no launch can be (None: unknown)."""

    name: str
    median_us: float
    hard_floor_us: float | None = None

    @property
    def below_floor(self) -> bool:
        """True if no correct kernel can be this fast (or the time is not a time at all)."""
        if not (math.isfinite(self.median_us) and self.median_us > 0):
            return True
        return self.hard_floor_us is not None and self.median_us < self.hard_floor_us


def geomean_us(times_us: Sequence[float]) -> float:
    """Geometric mean in microseconds. Raises: ValueError if there is none, or one is 0, negative, NaN or infinite."""
    return float(math.exp(math.fsum(math.log(t) for t in usable(times_us)) / len(times_us)))


def speedup(baseline_us: Mapping[str, float], contender_us: Mapping[str, float]) -> float:
    """Baseline over contender, geometric mean over the cases; above 1 = the contender is faster.

    Raises: ValueError if the two do not hold the same cases or a time is unusable.
    """
    return geomean_us(list(case_speedups(baseline_us, contender_us).values()))


def case_speedups(baseline_us: Mapping[str, float], contender_us: Mapping[str, float]) -> dict[str, float]:
    """Baseline over contender for each case. Raises: as `speedup`."""
    if set(baseline_us) != set(contender_us):
        odd = sorted(set(baseline_us) ^ set(contender_us))
        raise ValueError(f"cases timed on one side only: {', '.join(odd)}; both sides need the same perf cases")
    usable(list(baseline_us.values()))
    usable(list(contender_us.values()))
    return {name: baseline_us[name] / contender_us[name] for name in baseline_us}
