"""The session's secret: seeds and hidden cases come from it, and no proposer may see it.

It lies outside the session directory, readable by the user alone, until the session ends; then `finish` files it in the
record so that every figure can be proved again. A candidate that enters an ended session (`warpwright try`) is therefore
judged by a secret of its own, filed beside its attempt once that is over. What lies there before is its SHA-256: it says which
secret it was, whatever is killed in between, and nothing of what it is.
"""

import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from warpwright.errors import RecordError
from warpwright.record.files import write_atomic
from warpwright.record.session import Session

_FILED = "secret"
_PLEDGED = "secret.sha256"


def session_secret(session: Session) -> str:
    """64 hex digits, made at first use; the filed one once the session has ended."""
    filed = session.directory / _FILED
    return _read(filed) if filed.exists() else _hidden(secret_path(session))


def file_secret(session: Session) -> None:
    """Move the secret into the session directory: nothing is proposed any more. Doing it twice is harmless."""
    path = secret_path(session)
    if path.exists():
        _file(session.directory, _read(path))
        path.unlink()


def entry_secret(session: Session) -> str:
    """What judges the next candidate that enters a session: its own secret while that is one, else one filed nowhere yet."""
    if not session.ended:
        return session_secret(session)
    file_secret(session)  # a process killed while the session ended may have left it
    path = _entry_path(session)
    filed = {_read(found) for found in session.directory.glob(f"attempts/*/{_FILED}")}
    if path.exists() and _read(path) in filed:
        path.unlink()
    return _hidden(path)


def pledge_entry_secret(session: Session, number: int) -> None:
    """Say which secret judges an attempt of an ended session, before it does."""
    pledge = session.attempt_directory(number) / _PLEDGED
    write_atomic(pledge, _digest(_read(_entry_path(session))).encode("ascii"))


def is_pledged(session: Session, number: int) -> bool:
    """True if an attempt is judged by a secret of its own."""
    return (session.attempt_directory(number) / _PLEDGED).exists()


def file_entry_secrets(session: Session) -> None:
    """File the secret beside every attempt that it judged; the next candidate is judged by another."""
    for directory in _unfiled(session):
        if (secret := _pledged(session, directory)) is not None:
            _file(directory, secret)


def attempt_secret(session: Session, number: int) -> str:
    """The secret that judged an attempt, to prove its figures again. Raises: RecordError if it was its own, and is lost."""
    directory = session.attempt_directory(number)
    if (directory / _FILED).exists():
        return _read(directory / _FILED)
    if not is_pledged(session, number):
        return session_secret(session)
    secret = _pledged(session, directory)
    if secret is None:
        raise RecordError(
            f"{directory}: the secret that judged this attempt is not at {_entry_path(session)} any more: its seeds are lost. "
            "Enter the candidate into a new session."
        )
    return secret


def secret_path(session: Session) -> Path:
    """Where the secret of a running session lies."""
    return platformdirs.user_state_path("warpwright") / "secrets" / session.identifier


def _entry_path(session: Session) -> Path:
    path = secret_path(session)
    return path.with_name(f"{path.name}+entry")


def _unfiled(session: Session) -> Iterator[Path]:
    """Directories of finished attempts whose own secret still lies outside."""
    for attempt in session.attempts():
        directory = session.attempt_directory(attempt.number)
        if is_pledged(session, attempt.number) and not (directory / _FILED).exists():
            yield directory


def _pledged(session: Session, directory: Path) -> str | None:
    """The secret that an attempt names; None if it is there no more."""
    path = _entry_path(session)
    secret = _read(path) if path.exists() else ""
    return secret if _digest(secret) == _read(directory / _PLEDGED) else None


def _file(directory: Path, secret: str) -> None:
    write_atomic(directory / _FILED, secret.encode("ascii"))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def _hidden(path: Path) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_hex(32), encoding="ascii")
        fresh.replace(path)  # whole or not at all: a killed process leaves no half secret
    return _read(path)


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii").strip()
