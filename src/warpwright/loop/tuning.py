"""Which attempt is tuned, and the search itself, recorded point by point."""

import time

from warpwright.candidate.candidate import Candidate
from warpwright.loop.context import LoopContext
from warpwright.proposer.strategist.tuner import Tuner, apply_point, tunable_space_size
from warpwright.record.attempt import TuningPoint
from warpwright.record.event import Event
from warpwright.record.session import Session


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
    """Evaluate points of one attempt's tunables until the tuner is done, time is up or the user stops."""
    session = context.session
    candidate = session.attempt(number).candidate
    tuner = Tuner(
        candidate, session.workload, context.bench.device.spec, session.options.seed, session.options.tuning_budget
    )
    while not (context.stopping.is_set() or context.budget.time_is_up()):
        points = session.tuning(number)
        chosen = tuner.next(points)
        if chosen is None:
            session.finish_tuning(number)
            session.emit(Event("tuned", attempt=number, text=f"{len(points)} points searched"))
            return
        started = time.monotonic()
        evaluation = context.bench.evaluator.evaluate(apply_point(candidate, *chosen), screen=True)
        point = TuningPoint(*chosen, evaluation.label, evaluation.geomean_us, evaluation.message)
        session.add_tuning_point(number, point)
        session.charge("tune", number, time.monotonic() - started)
        session.emit(
            Event("tuning", attempt=number, values={"points": len(points) + 1, "geomean_us": point.geomean_us})
        )


def _structure(candidate: Candidate) -> object:
    """What stays the same over a candidate's points: source, launches, tunables."""
    return candidate.source, candidate.plan.launches, candidate.tunables
