"""GPUs as data: limits, rates, occupancy."""
