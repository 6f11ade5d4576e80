"""What a time below a floor makes of a candidate: alone and in a paired run by the same words."""

from warpwright.benchmark.floors import Below, Zone
from warpwright.evaluation.failure import Failure
from warpwright.verifier.evidence import case_text
from warpwright.workload.model import Case


def floor_failure(case: Case, below: Below, *, repeated: bool) -> Failure:
    """`rejected` below the hard floor; `suspicious`, a question for a person, below the soft one.

    repeated: it was so again in a fresh process; otherwise it was a point of a search, of which nothing is taken again.
    """
    text = f"{case_text(case)}: {_evidence(below, repeated=repeated)}"
    if below.zone is Zone.HARD:
        return Failure("rejected.below_hard_floor", text)
    why = "Either less work is needed than [work] says, or something is reused."
    return Failure("suspicious.below_soft_floor", f"{text} {why}")


def _evidence(below: Below, *, repeated: bool) -> str:
    if not repeated:
        return f"{below.text}; in a search it was not measured again."
    if below.zone is Zone.HARD:
        return f"{below.text}; so it was when both were measured again in a fresh process."
    return f"{below.text}; so it was with twice the sets of inputs and L2 flushed twice."
