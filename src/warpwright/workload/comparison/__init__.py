"""Outputs against what the oracle expects: limits, scales, element by element."""
