"""Counts and a GPU description to an estimated time."""

from warpwright.emulator.cost.estimate import UNCERTAINTY_RATIO, Estimate, estimate

__all__ = ["UNCERTAINTY_RATIO", "Estimate", "estimate"]
