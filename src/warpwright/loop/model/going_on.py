"""What a session's model is opened with as far as the session has come, and what a replay takes from the one it repeats."""

from pathlib import Path

from warpwright.loop.model.access import model_settings, with_found
from warpwright.proposer.exchange_files import read_exchanges
from warpwright.proposer.model.client.found import read_found
from warpwright.proposer.registry import REPLAY, ModelSettings
from warpwright.record.history.given import read_given, write_given
from warpwright.record.session import Session


def settings_of(session: Session, user: ModelSettings) -> ModelSettings:
    """user: key and prices of the person who runs the session."""
    replayed = _heard(session) if session.options.proposer.startswith(REPLAY) else 0
    return with_found(model_settings(session.options, user, replayed), read_found(session.directory))


def history_of(session: Session, path: Path | None) -> Path | None:
    """The history that a session draws on. One that repeats another is given what that one was given, or none.

    path: of this user's. Raises: RecordError if the other session's file is damaged.
    """
    words = session.options.proposer
    if not words.startswith(REPLAY) or read_given(session.directory) is not None:
        return path
    given = read_given(Path(words.removeprefix(REPLAY)))
    if given is None:
        return None
    write_given(session.directory, given)
    return path


def _heard(session: Session) -> int:
    """Replies that are on disk, whether or not a kill kept them out of the ledger."""
    return sum(len(read_exchanges(session.attempt_directory(n))) for n in range(1, session.next_number + 1))
