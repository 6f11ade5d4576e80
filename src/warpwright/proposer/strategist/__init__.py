"""The built-in proposer: source moves and the tuner, no model needed."""
