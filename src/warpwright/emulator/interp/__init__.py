"""The NumPy executor: slow, readable, the definition."""
