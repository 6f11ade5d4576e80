"""From counters to what limits a kernel: a pure function, the same for a person, a model and the built-in strategist."""
