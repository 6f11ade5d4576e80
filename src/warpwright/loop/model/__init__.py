"""How the loop serves a model: its settings, the compiler for its look-ups, its first prompt."""
