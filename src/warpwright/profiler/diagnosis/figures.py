"""The figures of `figures.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Figures:
    """Field by field what the file explains."""

    attainable_bandwidth_ratio: float
    timed_over_profiled_ratio: float
    noise_ratio: float
    noise_of_ratios: float
    part_of_way: float
    least_expected_ratio: float


@cache
def figures() -> Figures:
    """Read once. Raises: TypeError for a key too many or too few."""
    text = (files("warpwright.profiler.diagnosis") / "figures.toml").read_text(encoding="utf-8")
    return Figures(**tomllib.loads(text))
