"""Is it right: one check a file."""
