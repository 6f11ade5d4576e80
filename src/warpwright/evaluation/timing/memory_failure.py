"""What a kernel meets that is faster with values it has seen: alone and in a paired run by the same words."""

from warpwright.evaluation.failure import Failure
from warpwright.verifier.evidence import case_text
from warpwright.workload.model import Case


def memory_failure(case: Case, ratio: float) -> Failure:
    """A question for a person. ratio: how many times as long launches took with the same values, when these were new."""
    return Failure(
        "suspicious.remembered_values",
        f"{case_text(case)}: with values that had not come before launches took {ratio:.2f} times as long as with the same "
        "values, in another process, when these had: answers are remembered, not computed. Inputs that make_inputs made repeat "
        "under the clock; each launch must compute its outputs from its inputs.",
    )
