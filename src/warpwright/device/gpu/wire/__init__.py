"""What is said to a harness: arrays, requests and replies as docs/harness.md has them, and what a fault means."""
