"""What comes after `summary.json`: secrets are filed, the lesson is kept, the report is written.

A kill may come between any two of these steps. Each changes nothing if it is done again, and the event `ended` comes last:
where it is missing, `resume` and `try` do them again.
"""

from pathlib import Path

from warpwright.compiler.result import Compiled
from warpwright.loop.history import SessionHistory
from warpwright.loop.secret import file_entry_secrets, file_secret, is_pledged
from warpwright.record.event import Event
from warpwright.record.evidence import times_from
from warpwright.record.session import Session
from warpwright.report.html import write_report

_WORK = frozenset({"proposed", "stage", "finished"})


def complete(session: Session, history: SessionHistory | None) -> None:
    """Do what comes after the summary of a session that has ended. history: None = neither read nor written."""
    file_secret(session)
    file_entry_secrets(session)
    if history is not None:
        history.learn()
    write_report(session)
    summary = session.summary()
    session.emit(Event("ended", attempt=session.best(), text="" if summary is None else summary.stop))


def is_complete(session: Session) -> bool:
    """True if nothing was begun since a session ended, or since a candidate that entered it then was dealt with."""
    if _has_entered(session):
        return False
    for event in reversed(session.events()):
        if event.kind == "ended":
            return True
        if event.kind in _WORK:
            return False
    return False


def awaits_judgement(session: Session) -> bool:
    """True if a candidate that entered an ended session has no outcome yet, or what beat the best no last checks.

    What a beam had in hand when its time was up is not among them: it stays unfinished.
    """
    return _has_entered(session) or session.incumbent() != session.best()


def _has_entered(session: Session) -> bool:
    """True if an unfinished attempt was begun after the end. A kill may come before it is announced, or its secret pledged."""
    pending = [each.number for each in session.pending()]
    if any(is_pledged(session, number) for number in pending):
        return True
    announced: set[int | None] = set()
    for event in session.events() if pending else ():
        if event.kind == "ended":
            return not announced.issuperset(pending)
        if event.kind == "proposed":
            announced.add(event.attempt)
    return False


def recorded_history(session: Session, path: Path | None) -> SessionHistory | None:
    """The history for a session that is only completed, its device known by its record. None if nothing can be taught.

    path: the history's file; None = neither read nor written.
    """
    best = session.best()
    evaluation = session.attempt(best).evaluation if best else None
    times = None if evaluation is None else times_from([evaluation])
    if evaluation is None or times is None or not isinstance(evaluation.compiled, Compiled):
        return None
    return SessionHistory(session, path, evaluation.compiled.arch, measured=not times.estimated)
