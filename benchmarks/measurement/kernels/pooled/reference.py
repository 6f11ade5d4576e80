"""What `axpb` computes, with inputs that are made on the host."""

from typing import Any


def make_inputs(dims: dict[str, int], rng: Any) -> dict[str, Any]:
    """As the recipes of the workload `axpb`."""
    n = dims["n"]
    return {"x": rng.standard_normal(n, dtype="float32"), "b": rng.uniform(1.0, 2.0, n).astype("float32")}


def reference(x: Any, b: Any, a: Any) -> dict[str, Any]:
    """Element by element."""
    return {"y": a * x + b}
