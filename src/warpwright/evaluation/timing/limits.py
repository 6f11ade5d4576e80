"""How long a candidate may take before it is stopped (M44)."""

from warpwright.units import US_PER_S
from warpwright.workload.model import DeviceKind

EMULATED_S = 30.0
"""One run of a plan on the emulator."""
UNKNOWN_S = 10.0
"""One run on a GPU of a case that nothing has been timed on yet."""
LEAST_S = 2.0
KNOWN_FACTOR = 50.0
"""One run on a GPU may take this many times as long as the incumbent, but at least LEAST_S."""
SEARCH_FACTOR = 10.0
"""In a search the launches of a case may take this many times as long as the incumbent's, and LEAST_S."""
SCHEDULE_S = 20.0
"""Most for all 110 launches of one case; a paired run has twice as many and twice the time."""
_SLOWEST_COPY_BYTES_PER_S = 250e6
"""Kept outputs on their way to the host do not count as hanging."""


def run_limit_s(kind: DeviceKind, chosen_s: float | None, known_us: float | None = None) -> float:
    """Wall clock of one run of a plan. chosen_s: what the user asked for. known_us: the incumbent's time of this case."""
    if chosen_s is not None:
        return chosen_s
    if kind is DeviceKind.EMULATOR:
        return EMULATED_S
    return UNKNOWN_S if known_us is None else max(LEAST_S, KNOWN_FACTOR * known_us / US_PER_S)


def schedule_limit_s(known_us: float | None, launches: int, kept_bytes: int) -> float:
    """Wall clock of all launches of one case. known_us: of one unit; None: nothing is known. kept_bytes: that come back."""
    if known_us is None:
        return SCHEDULE_S
    return min(
        SCHEDULE_S, LEAST_S + KNOWN_FACTOR * known_us / US_PER_S * launches + kept_bytes / _SLOWEST_COPY_BYTES_PER_S
    )


def search_limit_s(known_us: float | None, launches: int) -> float:
    """Wall clock of all launches of one case in a search: a point that is stopped there would have been of no use."""
    if known_us is None:
        return SCHEDULE_S
    return min(SCHEDULE_S, LEAST_S + SEARCH_FACTOR * known_us / US_PER_S * launches)
