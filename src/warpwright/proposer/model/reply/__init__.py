"""From what a model said to a candidate and its hypothesis: forgiving about form, never about content."""
