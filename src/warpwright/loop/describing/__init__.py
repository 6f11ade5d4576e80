"""A workload from a description: a model writes it, everything is checked, a person approves, it is frozen by hash."""
