"""What is tried: source, launch plan, integer expressions, tunables, checks against device limits."""
