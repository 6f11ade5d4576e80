"""Does the contender beat the incumbent, by estimates? Measured times are decided by a paired run (`paired.py`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from warpwright.benchmark.score import case_speedups, geomean_us
from warpwright.device.protocol import TimeSource, Timing
from warpwright.units import format_ratio


class Rank(StrEnum):
    """Where a contender stands against the incumbent; the words are those of the outcomes."""

    IMPROVED = "improved"
    TIE = "tie"
    SLOWER = "slower"


@dataclass(frozen=True, slots=True)
class Decision:
    """speedup: incumbent over contender, geometric mean, None = unknown. cases: the same by case. message: why."""

    rank: Rank
    speedup: float | None
    cases: Mapping[str, float]
    message: str


def decide(incumbent: Mapping[str, Timing], contender: Mapping[str, Timing]) -> Decision:
    """Rank the contender by estimates. Both: perf case name -> timing.

    Raises: ValueError if a time was measured (M7), the cases differ or a time is unusable.
    """
    sources = {timing.source for timing in (*incumbent.values(), *contender.values())}
    if sources == {TimeSource.ESTIMATED}:
        return decide_estimated(incumbent, contender)
    if sources == {TimeSource.MEASURED}:
        raise ValueError("measured times of separate runs are never compared: they need a paired run on the GPU")
    raise ValueError("estimated and measured times are never compared with each other")


def decide_estimated(incumbent: Mapping[str, Timing], contender: Mapping[str, Timing]) -> Decision:
    """`improved` iff the predicted gain is beyond the uncertainty and no case is slower beyond it (M36).

    The uncertainty is the largest of all timings: two estimates closer than that cannot be told apart.
    """
    cases = case_speedups(_medians(incumbent), _medians(contender))
    overall = geomean_us(list(cases.values()))
    uncertainty = max(timing.uncertainty_ratio for timing in (*incumbent.values(), *contender.values()))
    limit = 1.0 + uncertainty
    worst = min(cases, key=lambda name: cases[name])
    if overall > limit and cases[worst] * limit < 1.0:
        text = f"{format_ratio(overall)} overall, but case {worst} is {format_ratio(1 / cases[worst])} slower"
        return Decision(Rank.TIE, overall, cases, f"tie: predicted {text}")
    beyond = f"the estimate's uncertainty of {uncertainty:.0%}"
    if overall > limit:
        return Decision(Rank.IMPROVED, overall, cases, f"improved: predicted {format_ratio(overall)}, beyond {beyond}")
    if overall * limit < 1.0:
        text = f"slower: predicted {format_ratio(1 / overall)} slower, beyond {beyond}"
        return Decision(Rank.SLOWER, overall, cases, text)
    return Decision(Rank.TIE, overall, cases, f"tie: predicted {format_ratio(overall)} is within {beyond}")


def _medians(timings: Mapping[str, Timing]) -> dict[str, float]:
    return {name: timing.median_us for name, timing in timings.items()}
