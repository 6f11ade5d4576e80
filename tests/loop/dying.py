"""A command that is killed where a step begins: in a process of its own, SIGKILL stands in the place of the step."""

import os
import signal
from functools import partial
from pathlib import Path

from loop.forked import Forked
from warpwright.loop import entering
from warpwright.loop.ending import complete
from warpwright.loop.history import SessionHistory
from warpwright.record.event import Event
from warpwright.record.session import Session

STEPS: dict[str, tuple[object, str]] = {
    "pledge": (entering, "pledge_entry_secret"),
    "evaluate": (entering, "evaluate"),
    "record": (entering, "record"),
    "diagnose": (entering, "diagnose"),
    "last checks": (entering, "check_finally"),
    "secret": (complete, "file_secret"),
    "secrets of attempts": (complete, "file_entry_secrets"),
    "lesson": (SessionHistory, "learn"),
    "report": (complete, "write_report"),
}
"""Where each is looked up. Any other step is the event of that kind."""


def killed_before(step: str, said: Path, *arguments: str) -> None:
    """Run a command in a process that dies where a step begins."""
    command = Forked([*arguments, "--quiet"], said, first=partial(_lie_in_wait, step))
    assert command.wait() == -signal.SIGKILL, command.err


def _lie_in_wait(step: str) -> None:
    if step in STEPS:
        where, name = STEPS[step]
        setattr(where, name, _die)
        return
    emit = Session.emit

    def emit_or_die(session: Session, event: Event) -> None:
        if event.kind == step:
            _die()
        emit(session, event)

    Session.emit = emit_or_die  # type: ignore[method-assign, assignment]


def _die(*ignored: object, **named: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
