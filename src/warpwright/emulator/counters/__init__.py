"""Counts as taken, and as the cost model and diagnosis read them."""
