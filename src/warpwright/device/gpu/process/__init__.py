"""The harness processes: found, started, kept in a pool, talked to, replaced."""
