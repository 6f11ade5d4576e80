"""Words of a diagnosis that are the same wherever it is shown: terminal, HTML, prompts, look-ups."""

from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Finding
from warpwright.units import labelled

_WORTH_A_LOOK = "worth a look"
_NO_LIMIT = "no class is known to limit it"


def hint_words(diagnosis: CaseDiagnosis, finding: Finding) -> str:
    """What stands before a hint: that it limits nothing, where it comes first."""
    return f"{_NO_LIMIT}; {_WORTH_A_LOOK}" if finding is diagnosis.target else _WORTH_A_LOOK


def bound_words(diagnosis: CaseDiagnosis, finding: Finding) -> str:
    """`curing it can bring at most 1.58 times the speed`; empty where nothing is claimed."""
    bound = diagnosis.claimed_bound(finding)
    if bound is None:
        return ""
    most = labelled(f"{bound:.3g}", estimated=finding.bound_estimated)
    return f"curing it can bring at most {most} times the speed"
