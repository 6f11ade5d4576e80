"""The tuner of the loop: what to evaluate next, as a pure function of what is recorded."""

from collections.abc import Iterator, Mapping, Sequence

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.limits import check_limits
from warpwright.candidate.resolve import resolve_plan
from warpwright.candidate.resolved import PlanFault
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_nodes import mentioned_names
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.proposer.strategist.tuner.launch_search import LaunchSearch, Trial
from warpwright.proposer.strategist.tuner.point import key_of
from warpwright.proposer.strategist.tuner.search import known_points, next_in_space
from warpwright.proposer.strategist.tuner.space import Space
from warpwright.record.attempt import TuningPoint
from warpwright.workload.model import CaseKind, Workload

COMBINED_BINARIES = 3
"""Binaries for which the best launch settings of every case are put together."""
POINT_SHARE = 0.8
"""Part of the budget for points; the rest is for launch settings."""


class Tuner:
    """Searches one candidate's tunables, beginning where it stands; then, per perf case, those that only the plan reads.

    budget: evaluations in all. Equal arguments and equal recorded points give the same next evaluation.
    """

    def __init__(self, candidate: Candidate, workload: Workload, gpu: GpuSpec, seed: int, budget: int) -> None:
        self._candidate = candidate
        self._workload = workload
        self._gpu = gpu
        self._seed = seed
        self._budget = budget
        self._space = Space(candidate.tunables, self._possible, candidate.values())
        inherited = {case: override.point for case, override in candidate.plan.overrides.items()}
        self._launch = LaunchSearch(self._launch_only(), candidate.tunables, inherited)

    def next(self, points: Sequence[TuningPoint]) -> Trial | None:
        """The next (point, launch settings per case) to evaluate; None when the search is over."""
        if len(points) >= self._budget or not self._candidate.tunables:
            return None
        known = known_points(self._space, points)
        share = self._budget if not self._launch.names else max(1, round(self._budget * POINT_SHARE))
        chosen = next_in_space(self._space, known, share, self._seed)
        if chosen is not None:
            return self._space.named(chosen), {}
        tried = {key_of(p.point, p.launch) for p in points}
        for point, launch in self._sweep(points):
            if key_of(point, launch) not in tried:
                return point, launch
        return None

    def _sweep(self, points: Sequence[TuningPoint]) -> Iterator[Trial]:
        """Launch settings of the best points that single cases may gain by."""
        cases = [c.name for c in self._workload.cases if c.kind is CaseKind.PERF]
        if len(cases) < 2 or not self._launch.names:
            return
        tops = self._launch.tops(points, COMBINED_BINARIES)
        for top in tops[:1]:
            yield from (trial for trial in self._launch.variations(top) if self._possible(trial[0]))
        for top in tops:
            settings = self._launch.combined(points, top)
            if settings:
                yield dict(top.point), settings

    def _launch_only(self) -> tuple[str, ...]:
        """Tunables that the source does not read, so that changing one needs no compile."""
        used = mentioned_names(parse_source(self._candidate.source).tree.root_node)
        tunables = self._candidate.tunables.items()
        return tuple(name for name, allowed in tunables if name not in used and len(set(allowed)) > 1)

    def _possible(self, point: Mapping[str, int]) -> bool:
        """False if some case cannot be launched at this point: block, grid or shared memory beyond the GPU's limits."""
        candidate = self._candidate.at(point)
        names = [p.name for p in self._workload.parameters]
        for case in self._workload.cases:
            plan = resolve_plan(candidate, case.dims, self._gpu, case.name, names)
            if isinstance(plan, PlanFault) or any(check_limits(run, self._gpu, None) for run in plan.launches):
                return False
        return True
