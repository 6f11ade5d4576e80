"""The one table of operations that both executors share."""
