"""A profile with its diagnosis and advice, for the terminal and as JSON."""
