"""What limits it: normalised counters."""
