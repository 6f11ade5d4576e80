"""Which attempt is tuned, and the search itself, recorded point by point."""

import time
from collections.abc import Iterator, Sequence

from warpwright.candidate.candidate import Candidate
from warpwright.loop.context import LoopContext
from warpwright.proposer.strategist.tuner import CaseSettings, Tuner, apply_point, tunable_space_size
from warpwright.record.attempt import Attempt, TuningPoint
from warpwright.record.event import Event
from warpwright.record.session import Session

SEARCH_SHARE = 0.25
"""A search may take this part of the time that is left: the structure that it refines may be the wrong one."""
CLOSE_SHARE = 0.1
"""The same for a structure that only came close."""
ONLY_SEARCH_SHARE = 0.75
"""The same where nothing but tunables is tried: the best points still have to become attempts."""
CLOSE_RATIO = 1.5
"""A structure with tunables of its own is searched up to this time over the incumbent's: its first point may be the fault."""
_TUNER = "tuner"


def attempt_to_tune(session: Session) -> int | None:
    """The attempt whose tunables are searched next: the incumbent, else the latest that came close with tunables of its own.

    None if every such structure has been searched to its end.
    """
    number = session.incumbent()
    if number == 0 or session.options.tuning_budget == 0:
        return None
    attempts = session.attempts()
    searched = [a for a in attempts if session.tuning(a.number)]
    for attempt in (session.attempt(number), *_close(session, attempts)):
        if tunable_space_size(attempt.candidate) <= 1:
            continue
        same = (a.number for a in searched if _structure(a.candidate) == _structure(attempt.candidate))
        chosen = next(same, attempt.number)
        if not session.tuning_finished(chosen):
            return chosen
    return None


def _close(session: Session, attempts: Sequence[Attempt]) -> Iterator[Attempt]:
    """Correct attempts, the latest first, that bring tunables which their parent lacks and are not far behind the incumbent."""
    best_us = session.attempt(session.incumbent()).evaluation.geomean_us
    for attempt in reversed(attempts):
        own_us = attempt.evaluation.geomean_us
        if attempt.parent == 0 or not attempt.evaluation.outcome.correct or own_us is None or best_us is None:
            continue
        brought = attempt.candidate.tunables.keys() - session.attempt(attempt.parent).candidate.tunables.keys()
        if brought and own_us <= CLOSE_RATIO * best_us:
            yield attempt


def search_points(context: LoopContext, number: int) -> None:
    """Evaluate points of one attempt's tunables until the tuner is done, its share of the time is used up or all of it is,
    or the user stops. The first two end the search for good; after the others it goes on where it was.
    """
    session, budget = context.session, context.budget
    candidate = session.attempt(number).candidate
    ends_s = budget.share_ends_s(_share(session, candidate))
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


def _share(session: Session, candidate: Candidate) -> float:
    if session.options.proposer == _TUNER:
        return ONLY_SEARCH_SHARE
    stands = _structure(session.attempt(session.incumbent()).candidate) == _structure(candidate)
    return SEARCH_SHARE if stands else CLOSE_SHARE


def _evaluate_point(context: LoopContext, number: int, chosen: tuple[dict[str, int], CaseSettings]) -> None:
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
