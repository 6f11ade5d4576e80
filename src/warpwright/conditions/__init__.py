"""The language in which diagnosis, cards and counters speak of counters that may be unknown."""
