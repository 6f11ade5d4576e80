"""What a session appends to, events and spends, and sums over the spends."""
