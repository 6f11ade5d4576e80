"""Which case the next step should treat."""

from collections.abc import Sequence

from warpwright.profiler.diagnosis.finding import CaseDiagnosis

_LAUNCH_BOUND = "launch_bound"


def target_case(cases: Sequence[CaseDiagnosis]) -> str | None:
    """The case with most to gain: farthest above its floor, as a factor, because candidates are ranked by a geometric mean.

    Cases at their roof come last, launch-bound ones before them; a case without a floor or time counts as one at its floor.
    None: no cases.
    """
    if not cases:
        return None
    return min(enumerate(cases), key=lambda item: (_hopeless(item[1]), -_distance(item[1]), item[0]))[1].case


def _hopeless(case: CaseDiagnosis) -> int:
    if case.at_roof:
        return 2
    return int(case.target is not None and case.target.kind == _LAUNCH_BOUND)


def _distance(case: CaseDiagnosis) -> float:
    ratio = case.floor_ratio
    return 1.0 if ratio is None else 1.0 / ratio
