"""What `axpb` computes."""

from typing import Any


def reference(x: Any, b: Any, a: Any) -> dict[str, Any]:
    """Element by element."""
    return {"y": a * x + b}
