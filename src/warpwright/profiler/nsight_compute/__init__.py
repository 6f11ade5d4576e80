"""Nsight Compute: found, run on one launch of the harness, its report read into normalised counters."""
