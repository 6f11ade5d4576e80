"""Whether counters bore out what a hypothesis expected of them."""

import math
from collections.abc import Mapping

from warpwright.profiler.diagnosis.figures import figures
from warpwright.profiler.diagnosis.finding import ExpectationCheck, Verdict
from warpwright.profiler.diagnosis.pairing import Pair, Unpaired, incomparable, paired
from warpwright.profiler.profile import CaseProfile


def check_expectations(
    expects: Mapping[str, float], before: CaseProfile, after: CaseProfile
) -> tuple[tuple[ExpectationCheck, ...], Verdict]:
    """Each counter that a hypothesis named, and what they say of it together.

    expects: counter -> new over old value. One refuted counter refutes the hypothesis; it is borne out if every counter that
    could be judged is. A counter that is not of the same launch on both sides, or not counted alike, is unknown, with a reason.
    """
    pair = paired(before, after)
    checks = tuple(_check(name, expected, pair) for name, expected in expects.items())
    verdicts = {check.verdict for check in checks}
    for verdict in (Verdict.REFUTED, Verdict.BORNE_OUT):
        if verdict in verdicts:
            return checks, verdict
    return checks, Verdict.UNKNOWN


def judge(expected: float, seen: float | None) -> Verdict:
    """One counter: half of the expected way bears it out; the other way, or not moving, refutes it; less is open."""
    if seen is None or seen < 0 or expected < 0:
        return Verdict.UNKNOWN
    least, noise = figures().least_expected_ratio, math.log1p(figures().noise_ratio)
    wanted = math.log(max(expected, least))
    way = math.log(max(seen, least**2))
    if abs(wanted) <= noise:
        return Verdict.BORNE_OUT if abs(way) <= noise else Verdict.REFUTED
    if abs(way) <= noise or way * wanted < 0:
        return Verdict.REFUTED
    return Verdict.BORNE_OUT if abs(way) >= figures().part_of_way * abs(wanted) else Verdict.UNKNOWN


def _check(name: str, expected: float, pair: Pair | Unpaired) -> ExpectationCheck:
    seen = _seen(name, pair)
    if isinstance(seen, str):
        return ExpectationCheck(name, expected, None, Verdict.UNKNOWN, seen)
    return ExpectationCheck(name, expected, seen, judge(expected, seen))


def _seen(name: str, pair: Pair | Unpaired) -> float | str:
    """New over old value, or why that is unknown."""
    if isinstance(pair, Unpaired):
        return pair.reason
    old, new = pair.before.counters.get(name), pair.after.counters.get(name)
    if old is None or new is None:
        return "unknown before" if old is None else "unknown now"
    if not old.value:
        return "0 before, so it has no ratio"
    return incomparable(old, new) or new.value / old.value
