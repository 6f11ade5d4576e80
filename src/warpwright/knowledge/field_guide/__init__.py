"""Cards, one change each: when it applies in counters, what to do, what it may bring and risk, and where NVIDIA says so."""
