"""What is kept: attempts, sessions, events, on disk."""
