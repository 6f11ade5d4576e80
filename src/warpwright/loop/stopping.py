"""Why nothing more is tried."""

from warpwright.loop.context import LoopContext
from warpwright.profiler.diagnosis.finding import CaseDiagnosis


def reason_to_stop(context: LoopContext) -> str | None:
    """A budget that is used up, or an incumbent with nothing left to gain; None while the search goes on."""
    session = context.session
    return context.budget.exhausted(session.attempt_count, session.incumbent()) or _at_the_floor(context)


def _at_the_floor(context: LoopContext) -> str | None:
    """Only if every timed case of the incumbent was diagnosed: what was not looked at may hold a gain."""
    session = context.session
    number = session.incumbent()
    diagnosis = session.diagnosis(number) if number else None
    if diagnosis is None or not diagnosis.at_roof:
        return None
    timed = {case.name for case in session.attempt(number).evaluation.cases if case.timing is not None}
    if timed - {case.case for case in diagnosis.cases}:
        return None
    return "at the floor: " + ", ".join(_words(case) for case in diagnosis.cases)


def _words(case: CaseDiagnosis) -> str:
    ratio = case.floor_ratio
    if ratio is None:
        return f"{case.case} at its roof"
    return f"{case.case} at {ratio * 100:.0f} % of it"
