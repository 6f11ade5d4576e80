"""`warpwright new`: a workload directory from a kernel of the user's."""


def new() -> int:
    """Placeholder until the scaffold lands."""
    return 0
