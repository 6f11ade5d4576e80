"""When a point of a search is given up before all its cases are timed."""

from warpwright.evaluation.failure import Failure
from warpwright.units import format_us
from warpwright.verifier.evidence import case_text
from warpwright.workload.model import Case

HOPELESS_RATIO = 3.0
"""A point so much slower on one case would have to win as much on the others, which no block size or tile does."""


def hopeless(case: Case, median_us: float, known_us: float | None) -> Failure | None:
    """Why a point need not be timed on further cases. known_us: time of the incumbent on this case; None = unknown."""
    if known_us is None or median_us <= HOPELESS_RATIO * known_us:
        return None
    text = f"{format_us(median_us)}, more than {HOPELESS_RATIO:g} times the incumbent's {format_us(known_us)}: given up"
    return Failure("slower.screened_out", f"{case_text(case)}: {text}")
