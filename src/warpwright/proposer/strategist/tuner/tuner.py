"""The tuner of the loop: what to evaluate next, as a pure function of what is recorded."""

from collections.abc import Mapping, Sequence

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.limits import check_limits
from warpwright.candidate.resolve import resolve_plan
from warpwright.candidate.resolved import PlanFault
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.proposer.strategist.tuner.case_points import Trial, bests, combined
from warpwright.proposer.strategist.tuner.combo import ROUND
from warpwright.proposer.strategist.tuner.point import PointKey, apply_point, key_of, settings_by_case
from warpwright.proposer.strategist.tuner.search import known_points, next_in_space
from warpwright.proposer.strategist.tuner.space import Space
from warpwright.record.attempt import TuningPoint
from warpwright.workload.model import CaseKind, Workload

MOST_COMBINED = 3
"""Evaluations of what is best for each case, put together: times are measured again, and another point may then be ahead."""


class Tuner:
    """Searches one candidate's tunables, beginning where it stands; then puts together what was best for each perf case.

    Points are proposed in turn for all cases together and for each by itself, for the best of one may be poor for another.
    budget: evaluations in all. Equal arguments and equal recorded points give the same next evaluation.
    """

    def __init__(self, candidate: Candidate, workload: Workload, gpu: GpuSpec, seed: int, budget: int) -> None:
        self._candidate = candidate
        self._workload = workload
        self._gpu = gpu
        self._seed = seed
        self._budget = budget
        self._space = Space(candidate.tunables, self._possible, candidate.values())
        self._inherited = settings_by_case(candidate)

    def next(self, points: Sequence[TuningPoint]) -> Trial | None:
        """The next (point, values of single cases) to evaluate; None when the search is over."""
        if len(points) >= self._budget or not self._candidate.tunables:
            return None
        tried = {key_of(p.point, p.launch) for p in points}
        own = self._candidate.values(), self._inherited
        if self._inherited and key_of(*own) not in tried:
            return own
        kept = 1 if self._several_cases else 0  # for what is put together
        return self._point(points, kept) or self._together(points, tried) or self._point(points, 0)

    def _point(self, points: Sequence[TuningPoint], kept: int) -> Trial | None:
        """The next point of the space. kept: evaluations of the budget that are not for points."""
        cases = [case.name for case in self._workload.cases if any(case.name in p.case_us for p in points)]
        objectives = [None, *cases] if len(cases) > 1 else [None]
        plain = [p for p in points if not p.launch]
        turn = len(plain) + len(plain) // ROUND  # else each objective would always meet the same judges
        known = known_points(self._space, plain, objectives[turn % len(objectives)])
        budget = max(1, self._budget - len(points) + len(plain) - kept)
        chosen = next_in_space(self._space, known, budget, self._seed, bests(plain))
        return None if chosen is None else (self._space.named(chosen), {})

    def _together(self, points: Sequence[TuningPoint], tried: set[PointKey]) -> Trial | None:
        together = sum(bool(p.launch) and p.launch != self._inherited for p in points)
        trial = combined(points) if together < MOST_COMBINED else None
        return trial if trial is not None and key_of(*trial) not in tried else None

    @property
    def _several_cases(self) -> bool:
        return sum(case.kind is CaseKind.PERF for case in self._workload.cases) > 1

    def _possible(self, point: Mapping[str, int]) -> bool:
        """False if some case cannot be launched at this point: block, grid or shared memory beyond the GPU's limits."""
        candidate = apply_point(self._candidate, point, {})
        names = [p.name for p in self._workload.parameters]
        for case in self._workload.cases:
            plan = resolve_plan(candidate, case.dims, self._gpu, case.name, names)
            if isinstance(plan, PlanFault) or any(check_limits(run, self._gpu, None) for run in plan.launches):
                return False
        return True
