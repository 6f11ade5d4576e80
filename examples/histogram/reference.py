import numpy as np


def reference(x):
    return {"bins": np.bincount(x, minlength=256)}


def make_inputs(dims, rng):
    """Uniform bytes, but about `hot` per cent of them are one value: 100 makes all equal."""
    n = dims["n"]
    x = rng.integers(0, 256, n, dtype=np.uint8)
    x[rng.random(n) < (dims["hot"] - 1) / 99] = rng.integers(0, 256)
    return {"x": x}
