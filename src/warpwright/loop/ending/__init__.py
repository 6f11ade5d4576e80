"""What makes the end of a session whole."""
