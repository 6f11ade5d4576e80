"""Search over tunables: exhaustive while the space is small, `combo` beyond, then launch settings per case."""

from warpwright.proposer.strategist.tuner.point import LaunchSettings, apply_point, best, tunable_space_size
from warpwright.proposer.strategist.tuner.search import search
from warpwright.proposer.strategist.tuner.tuner import Tuner

__all__ = ["LaunchSettings", "Tuner", "apply_point", "best", "search", "tunable_space_size"]
