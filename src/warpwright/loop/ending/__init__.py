"""Why a session ends, what its best attempt is held to then, and what makes its end whole."""
