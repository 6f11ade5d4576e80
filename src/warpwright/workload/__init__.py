"""What to compute: parameters, cases, oracle, tolerance, floor, lint."""
