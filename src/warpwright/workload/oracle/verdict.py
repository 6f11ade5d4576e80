"""What a workload's own `compare` said."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CustomVerdict:
    """accepted: what `compare` decided; message: why not."""

    accepted: bool
    message: str
