"""The session's secret: seeds and hidden cases come from it, and no proposer may see it.

It lies outside the session directory, readable by the user alone, until the session ends; then `finish` files it in the
record so that every figure can be proved again. A candidate that enters an ended session (`warpwright try`) is therefore
judged by a secret of its own, filed beside its attempt once that is over.
"""

import os
import secrets
from pathlib import Path

import platformdirs

from warpwright.record.session import Session

_FILED = "secret"


def session_secret(session: Session) -> str:
    """64 hex digits, made at first use; the filed one once the session has ended."""
    filed = session.directory / _FILED
    return _read(filed) if filed.exists() else _hidden(secret_path(session))


def file_secret(session: Session) -> None:
    """Move the secret into the session directory: nothing is proposed any more."""
    path = secret_path(session)
    if path.exists():
        (session.directory / _FILED).write_text(path.read_text(encoding="ascii"), encoding="ascii")
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


def file_entry_secret(session: Session, number: int) -> None:
    """File the fresh secret beside an attempt that it judged; the next candidate is judged by another."""
    (session.attempt_directory(number) / _FILED).write_text(_read(_entry_path(session)), encoding="ascii")


def attempt_secret(session: Session, number: int) -> str:
    """The secret that judged an attempt, to prove its figures again."""
    filed = session.attempt_directory(number) / _FILED
    return _read(filed) if filed.exists() else session_secret(session)


def secret_path(session: Session) -> Path:
    """Where the secret of a running session lies."""
    return platformdirs.user_state_path("warpwright") / "secrets" / session.identifier


def _entry_path(session: Session) -> Path:
    path = secret_path(session)
    return path.with_name(f"{path.name}+entry")


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
