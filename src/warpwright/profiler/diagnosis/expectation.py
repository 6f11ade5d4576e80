"""Whether counters bore out what a hypothesis expected of them."""

import math
from collections.abc import Mapping

from warpwright.profiler.diagnosis.compare import NOISE_RATIO
from warpwright.profiler.diagnosis.finding import ExpectationCheck, Verdict
from warpwright.profiler.profile import CaseProfile

PART_OF_WAY = 0.5
"""Of the expected way, on a log scale, that bears a hypothesis out."""

LEAST_RATIO = 0.01
"""An expectation of 0 (no bank conflicts left) counts as a hundredth: the way to nothing has no middle."""

_NOISE = math.log1p(NOISE_RATIO)


def check_expectations(
    expects: Mapping[str, float], before: CaseProfile, after: CaseProfile
) -> tuple[tuple[ExpectationCheck, ...], Verdict]:
    """Each counter that a hypothesis named, and what they say of it together.

    expects: counter -> new over old value. One refuted counter refutes the hypothesis; it is borne out if every counter that
    could be judged is.
    """
    checks = tuple(_check(name, expected, before, after) for name, expected in expects.items())
    verdicts = {check.verdict for check in checks}
    for verdict in (Verdict.REFUTED, Verdict.BORNE_OUT):
        if verdict in verdicts:
            return checks, verdict
    return checks, Verdict.UNKNOWN


def judge(expected: float, seen: float | None) -> Verdict:
    """One counter: half of the expected way bears it out; the other way, or not moving, refutes it; less is open."""
    if seen is None or seen < 0 or expected < 0:
        return Verdict.UNKNOWN
    wanted = math.log(max(expected, LEAST_RATIO))
    way = math.log(max(seen, LEAST_RATIO**2))
    if abs(wanted) <= _NOISE:
        return Verdict.BORNE_OUT if abs(way) <= _NOISE else Verdict.REFUTED
    if abs(way) <= _NOISE or way * wanted < 0:
        return Verdict.REFUTED
    return Verdict.BORNE_OUT if abs(way) >= PART_OF_WAY * abs(wanted) else Verdict.UNKNOWN


def _check(name: str, expected: float, before: CaseProfile, after: CaseProfile) -> ExpectationCheck:
    old, new = before.main.value(name), after.main.value(name)
    seen = None if new is None or not old else new / old
    return ExpectationCheck(name, expected, seen, judge(expected, seen))
