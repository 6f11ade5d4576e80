"""One verb of the loop a file."""
