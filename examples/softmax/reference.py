import numpy as np


def reference(x):
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": shifted / shifted.sum(axis=1, keepdims=True)}


def make_inputs(dims, rng):
    """Logits whose level and spread differ from row to row: dropping the maximum overflows in some of them."""
    rows, cols = dims["rows"], dims["cols"]
    level = rng.choice([0.0, -90.0, 95.0], (rows, 1))
    spread = rng.choice([0.1, 1.0, 8.0], (rows, 1))
    return {"x": rng.standard_normal((rows, cols)) * spread + level}
