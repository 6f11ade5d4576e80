"""Words of a diagnosis that are the same wherever it is shown: terminal, HTML, prompts, look-ups, events."""

from collections.abc import Iterable

from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Finding
from warpwright.units import labelled

_WORTH_A_LOOK = "worth a look"
_NO_LIMIT = "no class is known to limit it"


def hint_words(diagnosis: CaseDiagnosis, finding: Finding) -> str:
    """What stands before a hint: that it limits nothing, where it comes first."""
    return f"{_NO_LIMIT}; {_WORTH_A_LOOK}" if finding is diagnosis.target else _WORTH_A_LOOK


def nothing_left_words(cases: Iterable[CaseDiagnosis]) -> str:
    """Of cases that are at their roof: where the time of any is an estimate, it is said only by the estimates."""
    by = " by the estimates" if any(case.time_estimated for case in cases) else ""
    return f"nothing is left to gain{by}"


def roof_sentence(case: CaseDiagnosis) -> str:
    """What is said first of a case at its roof; the finding that follows has the reason."""
    return f"At its roof: {nothing_left_words([case])} but by less work."


def bound_words(diagnosis: CaseDiagnosis, finding: Finding) -> str:
    """`curing it can bring at most 1.58 times the speed`, or `about`, which is no ceiling; empty where nothing is claimed."""
    about, bound = diagnosis.claimed_about(finding), diagnosis.claimed_bound(finding)
    if about is not None:
        return _curing("about", about, estimated=finding.about_estimated)
    return "" if bound is None else _curing("at most", bound, estimated=finding.bound_estimated)


def _curing(how: str, speedup: float, *, estimated: bool) -> str:
    return f"curing it can bring {how} {labelled(f'{speedup:.3g}', estimated=estimated)} times the speed"
