"""Which attempt is tuned, and the search itself, recorded point by point."""

import time

from warpwright.candidate.candidate import Candidate
from warpwright.loop.context import LoopContext
from warpwright.proposer.strategist.tuner import LaunchSettings, Tuner, apply_point, tunable_space_size
from warpwright.record.attempt import TuningPoint
from warpwright.record.event import Event
from warpwright.record.session import Session

SEARCH_SHARE = 0.25
"""A search may take this part of the time that is left: the structure that it refines may be the wrong one."""
ONLY_SEARCH_SHARE = 0.75
"""The same where nothing but tunables is tried: the best points still have to become attempts."""
_TUNER = "tuner"


def attempt_to_tune(session: Session) -> int | None:
    """The incumbent's number if its structure has tunables that no search has covered to its end, else None."""
    number = session.incumbent()
    if number == 0 or session.options.tuning_budget == 0:
        return None
    candidate = session.attempt(number).candidate
    if tunable_space_size(candidate) <= 1:
        return None
    searched = [a.number for a in session.attempts() if session.tuning(a.number)]
    for other in searched:
        if _structure(session.attempt(other).candidate) == _structure(candidate):
            return other if not session.tuning_finished(other) else None
    return number


def search_points(context: LoopContext, number: int) -> None:
    """Evaluate points of one attempt's tunables until the tuner is done, its share of the time is used up or all of it is,
    or the user stops. The first two end the search for good; after the others it goes on where it was.
    """
    session, budget = context.session, context.budget
    candidate = session.attempt(number).candidate
    ends_s = budget.share_ends_s(ONLY_SEARCH_SHARE if session.options.proposer == _TUNER else SEARCH_SHARE)
    tuner = Tuner(
        candidate, session.workload, context.bench.device.spec, session.options.seed, session.options.tuning_budget
    )
    while not (context.stopping.is_set() or budget.time_is_up()):
        points = session.tuning(number)
        cut_off = budget.elapsed_s() >= ends_s
        chosen = None if cut_off else tuner.next(points)
        if chosen is None:
            session.finish_tuning(number)
            why = ", as many as its share of the time allows" if cut_off else ""
            session.emit(Event("tuned", attempt=number, text=f"{len(points)} points searched{why}"))
            return
        _evaluate_point(context, number, chosen)


def _evaluate_point(context: LoopContext, number: int, chosen: tuple[dict[str, int], LaunchSettings]) -> None:
    """Screen one point beside what the incumbent is known to take; it is on disk before this returns."""
    session = context.session
    started = time.monotonic()
    candidate = apply_point(session.attempt(number).candidate, *chosen)
    incumbent = session.attempt(session.incumbent())
    evaluation = context.bench.evaluator.evaluate(candidate, against=incumbent, screen=True)
    case_us = {case.name: case.timing.median_us for case in evaluation.cases if case.timing is not None}
    point = TuningPoint(*chosen, evaluation.label, evaluation.geomean_us, evaluation.message, case_us)
    session.add_tuning_point(number, point)
    context.charge("tune", number, time.monotonic() - started, evaluation)
    values = {"points": len(session.tuning(number)), "geomean_us": point.geomean_us}
    session.emit(Event("tuning", attempt=number, values=values))


def _structure(candidate: Candidate) -> object:
    """What stays the same over a candidate's points: source, launches, tunables."""
    return candidate.source, candidate.plan.launches, candidate.tunables
