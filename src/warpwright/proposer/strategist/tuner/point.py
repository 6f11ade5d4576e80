"""Points of a tuning search: how one becomes a candidate, and which are best."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from types import MappingProxyType

from warpwright.candidate.candidate import Candidate, CaseOverride
from warpwright.record.attempt import TuningPoint

LaunchSettings = Mapping[str, Mapping[str, str]]
"""Case name -> tunable -> value as text, for tunables that only the launch plan reads."""

PointKey = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, tuple[tuple[str, str], ...]], ...]]


def tunable_space_size(candidate: Candidate) -> int:
    """Number of points that the candidate's tunables span, impossible ones included; 1 = nothing to tune."""
    return prod(len(set(allowed)) for allowed in candidate.tunables.values())


def apply_point(candidate: Candidate, point: Mapping[str, int], launch: LaunchSettings) -> Candidate:
    """The candidate at a point, with other launch settings for some cases; itself where nothing changes."""
    own = candidate.values()
    chosen = candidate if all(own.get(name) == value for name, value in point.items()) else candidate.at(point)
    if not launch:
        return chosen
    overrides = dict(chosen.plan.overrides)
    for case, settings in launch.items():
        before = overrides.get(case, CaseOverride())
        values = {name: int(text) for name, text in settings.items()}
        overrides[case] = replace(before, point=MappingProxyType({**before.point, **values}))
    return replace(chosen, plan=replace(chosen.plan, overrides=MappingProxyType(overrides)))


def key_of(point: Mapping[str, int], launch: LaunchSettings) -> PointKey:
    """A hashable form of point and launch settings."""
    settings = tuple((case, tuple(sorted(values.items()))) for case, values in sorted(launch.items()))
    return tuple(sorted(point.items())), settings


def best(points: Sequence[TuningPoint], count: int = 5) -> list[TuningPoint]:
    """The fastest points that passed, fastest first; equal times keep the order in which they were tried."""
    passed = [p for p in points if p.geomean_us is not None]
    return sorted(passed, key=lambda p: p.geomean_us or 0.0)[:count]
