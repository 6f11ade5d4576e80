"""Values of single cases, from the times that every point has for every case: what is best for each, put together."""

from collections.abc import Sequence
from math import exp, inf, log

from warpwright.proposer.strategist.tuner.point import CaseSettings, settings_of
from warpwright.proposer.strategist.tuner.search import LEAST_GAIN
from warpwright.record.attempt import TuningPoint

Trial = tuple[dict[str, int], CaseSettings]
"""A point, and values of single cases that differ from it."""


def combined(points: Sequence[TuningPoint]) -> Trial | None:
    """The fastest point, and for each case the values of the point that was fastest there; None if they gain nothing.

    A case that differs by less than LEAST_GAIN keeps what the fastest point has.
    """
    passed = [p for p in points if p.geomean_us is not None]
    if not passed:
        return None
    top = min(passed, key=lambda p: p.geomean_us or 0.0)
    settings = {case: dict(values) for case, values in top.launch.items()}
    gained = False
    for case, own_us in top.case_us.items():
        fastest = min((p for p in points if case in p.case_us), key=lambda p: p.case_us[case])
        if fastest.case_us[case] < (1 - LEAST_GAIN) * own_us:
            settings[case] = settings_of({**fastest.point, **_own(fastest, case)}, top.point)
            gained = True
    return (dict(top.point), {case: values for case, values in settings.items() if values}) if gained else None


def bests(points: Sequence[TuningPoint]) -> list[float]:
    """After each point, in us: the geometric mean over the cases of the best so far of each, or the best point if that is
    better (cases without a time say nothing).
    """
    found: list[float] = []
    least: dict[str, float] = {}
    lowest = inf
    for point in points:
        for case, us in point.case_us.items():
            least[case] = min(us, least.get(case, inf))
        lowest = min(lowest, inf if point.geomean_us is None else point.geomean_us)
        together = exp(sum(log(us) for us in least.values()) / len(least)) if least and lowest < inf else inf
        found.append(min(lowest, together))
    return found


def _own(point: TuningPoint, case: str) -> dict[str, int]:
    return {name: int(text) for name, text in point.launch.get(case, {}).items()}
