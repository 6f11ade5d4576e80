import numpy as np


def reference(x, w, eps):
    return {"y": x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + eps) * w}


def make_inputs(dims, rng):
    """Rows of very different size: in the small ones eps decides, the large ones would overflow half precision."""
    level = rng.choice([1e-3, 1.0, 300.0], (dims["rows"], 1))
    return {"x": rng.standard_normal((dims["rows"], dims["cols"])) * level}
