"""Counts and a GPU description to an estimated time."""
