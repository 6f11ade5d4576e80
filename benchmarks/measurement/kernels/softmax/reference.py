"""What `softmax` computes."""

from typing import Any

import numpy as np


def reference(x: Any) -> dict[str, Any]:
    """Row by row."""
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": shifted / shifted.sum(axis=1, keepdims=True)}
