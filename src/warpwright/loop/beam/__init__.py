"""Several candidates in hand at once."""
