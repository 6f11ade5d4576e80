"""Points of a tuning search: how one becomes a candidate, and which are best."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from types import MappingProxyType

from warpwright.candidate.candidate import Candidate, CaseOverride
from warpwright.record.attempt import TuningPoint

CaseSettings = Mapping[str, Mapping[str, str]]
"""Case name -> tunable -> value as text, where a case has another value than the point."""

_EMPTY: Mapping[str, int] = MappingProxyType({})

PointKey = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, tuple[tuple[str, str], ...]], ...]]


def tunable_space_size(candidate: Candidate) -> int:
    """Number of points that the candidate's tunables span, impossible ones included; 1 = nothing to tune."""
    return prod(len(set(allowed)) for allowed in candidate.tunables.values())


def apply_point(candidate: Candidate, point: Mapping[str, int], settings: CaseSettings) -> Candidate:
    """The candidate at a point, with other values for some cases in place of its own; itself where nothing changes.

    Grid, block and shared memory that the plan overrides for a case stay.
    """
    own = candidate.values()
    chosen = candidate if all(own.get(name) == value for name, value in point.items()) else candidate.at(point)
    if settings == settings_by_case(candidate):
        return chosen
    overrides = {case: replace(override, point=_EMPTY) for case, override in chosen.plan.overrides.items()}
    for case, values in settings.items():
        before = overrides.get(case, CaseOverride())
        overrides[case] = replace(before, point=MappingProxyType({name: int(text) for name, text in values.items()}))
    kept = {case: override for case, override in overrides.items() if override != CaseOverride()}
    return replace(chosen, plan=replace(chosen.plan, overrides=MappingProxyType(kept)))


def settings_by_case(candidate: Candidate) -> dict[str, dict[str, str]]:
    """What the candidate's plan sets for single cases."""
    overrides = candidate.plan.overrides.items()
    return {case: {n: str(v) for n, v in sorted(o.point.items())} for case, o in overrides if o.point}


def settings_of(values: Mapping[str, int], point: Mapping[str, int]) -> dict[str, str]:
    """The values that differ from the point."""
    return {name: str(value) for name, value in sorted(values.items()) if point.get(name) != value}


def key_of(point: Mapping[str, int], settings: CaseSettings) -> PointKey:
    """A hashable form of a point and the values of single cases."""
    by_case = tuple((case, tuple(sorted(values.items()))) for case, values in sorted(settings.items()))
    return tuple(sorted(point.items())), by_case


def best(points: Sequence[TuningPoint], count: int = 5) -> list[TuningPoint]:
    """The fastest points that passed, fastest first; equal times keep the order in which they were tried."""
    passed = [p for p in points if p.geomean_us is not None]
    return sorted(passed, key=lambda p: p.geomean_us or 0.0)[:count]
