"""What `steady` computes."""

from typing import Any


def reference(x: Any) -> dict[str, Any]:
    """Multiplying by 1 and adding 0 leaves every value as it is."""
    return {"y": x}
