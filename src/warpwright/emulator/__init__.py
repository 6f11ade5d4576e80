"""PTX on the CPU: exact results, memory checks, counters and estimated times."""
