"""Whether a contender takes the incumbent's place."""
