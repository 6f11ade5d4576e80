"""Launch settings of single cases, from the times that every point has for every case: what is best for each, put together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from warpwright.proposer.strategist.tuner.point import LaunchSettings
from warpwright.proposer.strategist.tuner.search import LEAST_GAIN
from warpwright.record.attempt import TuningPoint

Trial = tuple[dict[str, int], LaunchSettings]
"""A point, and settings of single cases."""


@dataclass(frozen=True, slots=True)
class LaunchSearch:
    """names: tunables that the source does not read, so that points that differ in them alone have the same binary.

    tunables: all of them with their values. inherited: case -> values that the candidate sets for it at every point.
    """

    names: tuple[str, ...]
    tunables: Mapping[str, tuple[int, ...]]
    inherited: Mapping[str, Mapping[str, int]]

    def tops(self, points: Sequence[TuningPoint], count: int) -> list[TuningPoint]:
        """The fastest point of each binary, fastest first."""
        found: dict[tuple[int, ...], TuningPoint] = {}
        for point in sorted(points, key=lambda p: p.geomean_us or 0.0):
            if point.geomean_us is not None:
                found.setdefault(self._binary(point), point)
        return list(found.values())[:count]

    def variations(self, top: TuningPoint) -> Iterator[Trial]:
        """Every other value of each of `names`, for all cases at once: one evaluation tells all of them."""
        for name in self.names:
            for value in dict.fromkeys(self.tunables[name]):
                if value != top.point[name]:
                    cases = [case for case, values in self.inherited.items() if name in values]
                    yield {**top.point, name: value}, {case: {name: str(value)} for case in cases}

    def combined(self, points: Sequence[TuningPoint], top: TuningPoint) -> LaunchSettings:
        """For each case the settings that were fastest with the binary of `top`; empty if its own are for all of them."""
        same = [point for point in points if self._binary(point) == self._binary(top)]
        found = {case: dict(settings) for case, settings in top.launch.items()}
        gained = False
        for case, own_us in top.case_us.items():
            fastest = min((p for p in same if case in p.case_us), key=lambda p: p.case_us[case])
            if fastest.case_us[case] < (1 - LEAST_GAIN) * own_us:
                found[case] = {name: str(value) for name, value in self._settings(fastest, case).items()}
                gained = True
        return found if gained else {}

    def _binary(self, point: TuningPoint) -> tuple[int, ...]:
        return tuple(value for name, value in sorted(point.point.items()) if name not in self.names)

    def _settings(self, point: TuningPoint, case: str) -> dict[str, int]:
        """What a case was launched with."""
        chosen = {**point.point, **self.inherited.get(case, {})}
        chosen |= {name: int(text) for name, text in point.launch.get(case, {}).items()}
        return {name: chosen[name] for name in self.names}
