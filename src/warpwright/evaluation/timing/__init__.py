"""Timing a verified candidate on its perf cases: by estimate or by measurement, with the limits of both."""
