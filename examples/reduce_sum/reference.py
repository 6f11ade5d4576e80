import numpy as np


def reference(x):
    return {"out": np.array([x.sum()])}


def make_inputs(dims, rng):
    """Values about a mean whose sign and size change from seed to seed.

    For long arrays the mean shrinks: a sum above 2^24 times the spread of its terms is beyond any single fp32 accumulator.
    """
    n = dims["n"]
    level = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0])
    return {"x": level * (min(1.0, 2.0**21 / n) + 0.3 * rng.standard_normal(n))}
