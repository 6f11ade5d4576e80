"""What a session spent, worded."""
