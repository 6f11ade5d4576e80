"""Compile, verify, benchmark, promote: all gates as one call."""
