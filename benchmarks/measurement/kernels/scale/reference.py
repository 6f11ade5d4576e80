"""What `scale` computes."""

from typing import Any


def reference(v: Any, b: Any, a: Any) -> dict[str, Any]:
    """In place."""
    return {"v": a * v + b}
