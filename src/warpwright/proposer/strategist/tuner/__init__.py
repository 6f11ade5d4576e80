"""Search over tunables: exhaustive while the space is small, `combo` beyond, then the best of each case put together."""

from warpwright.proposer.strategist.tuner.point import (
    CaseSettings,
    apply_point,
    best,
    key_of,
    settings_by_case,
    tunable_space_size,
)
from warpwright.proposer.strategist.tuner.search import search
from warpwright.proposer.strategist.tuner.tuner import Tuner

__all__ = ["CaseSettings", "Tuner", "apply_point", "best", "key_of", "search", "settings_by_case", "tunable_space_size"]
