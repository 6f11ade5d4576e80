"""An estimated launch time, always with every term and the one that binds."""

from collections.abc import Mapping
from dataclasses import dataclass

UNCERTAINTY_RATIO = 0.15
"""Below this predicted gain two estimates cannot be told apart (emulator.md section 9), until calibrated."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """time_us: launch overhead included. terms_us: issue, lsu, sfu, fp64, tensor, l2, dram, latency, atomics, launch.

    binding: name of the largest term.
    """

    time_us: float
    terms_us: Mapping[str, float]
    binding: str
