"""Counters in one vocabulary, whoever took them."""

from warpwright.profiler.counters import Metric, Quality, format_counter, metrics

__all__ = ["Metric", "Quality", "format_counter", "metrics"]
