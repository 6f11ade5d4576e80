"""The built-in proposer: tunables by search, source moves by promise; needs no model, no key and no network."""

from warpwright.proposer.strategist.strategist import Strategist

__all__ = ["Strategist"]
