"""Where candidates run, behind one protocol."""
