"""Is it faster: scores, statistics, the paired decision."""
