"""The form of a workload directory: its tables, and every mistake that they can have."""
