"""Why nothing more is tried."""

from warpwright.loop.context import LoopContext
from warpwright.profiler.diagnosis.finding import CaseDiagnosis
from warpwright.profiler.diagnosis.wording import nothing_left_words
from warpwright.proposer.conversation import Purpose
from warpwright.proposer.exchange_files import read_exchanges
from warpwright.proposer.model.reply.bad_reply import BadKind
from warpwright.record.session import Session
from warpwright.units import labelled

FAILURES = 10
"""Attempts that fail in a row before the search ends."""
REPEATS = 6
"""Replies in a row that only repeat earlier attempts before the search ends: two whole turns, without a gain in between."""
DUPLICATE = BadKind.DUPLICATE.value


def reason_to_stop(context: LoopContext) -> str | None:
    """A budget that is used up, or an incumbent with nothing left to gain; None while the search goes on."""
    session = context.session
    return (
        context.budget.exhausted(session.attempt_count, session.incumbent())
        or _at_the_roof(context)
        or _failing(session)
        or _repeating(session)
    )


def _failing(session: Session) -> str | None:
    outcomes = [attempt.evaluation.outcome for attempt in session.attempts()[-FAILURES:]]
    if len(outcomes) == FAILURES and not any(outcome.correct for outcome in outcomes):
        return f"{FAILURES} attempts in a row failed"
    return None


def _repeating(session: Session) -> str | None:
    """Replies are read from the newest back, as far as they repeat earlier attempts and nothing was gained since.

    What was heard for an attempt came before it: the proposer behind the model, or the tuner, may have gained by it.
    """
    repeats, gains = 0, session.incumbents()
    for number in range(session.attempt_count + 1, 0, -1):
        if number in gains:
            return None
        for exchange in reversed(read_exchanges(session.attempt_directory(number))):
            if exchange.purpose is not Purpose.TOOL and not exchange.verdict.startswith(DUPLICATE):
                return None
            repeats += exchange.verdict.startswith(DUPLICATE)
            if repeats == REPEATS:
                return f"{REPEATS} replies in a row repeated earlier attempts"
    return None


def _at_the_roof(context: LoopContext) -> str | None:
    """Only if every timed case of the incumbent was diagnosed: what was not looked at may hold a gain."""
    session = context.session
    number = session.incumbent()
    diagnosis = session.diagnosis(number) if number else None
    if diagnosis is None or not diagnosis.at_roof:
        return None
    timed = {case.name for case in session.attempt(number).evaluation.cases if case.timing is not None}
    if timed - {case.case for case in diagnosis.cases}:
        return None
    return f"{nothing_left_words(diagnosis.cases)}: " + ", ".join(_words(case) for case in diagnosis.cases)


def _words(case: CaseDiagnosis) -> str:
    ratio = case.floor_ratio
    if ratio is None:
        return f"{case.case} at its roof"
    return f"{case.case} at its roof, {labelled(f'{ratio * 100:.0f} %', estimated=case.time_estimated)} of its floor"
