"""Timing statistics, the score over perf cases and the decision whether a contender beats the incumbent."""
