"""The session's secret: seeds and hidden cases come from it, and no proposer may see it.

It lies outside the session directory, readable by the user alone, until the session ends; then `finish` files it in the
record so that every figure can be proved again.
"""

import os
import secrets
from pathlib import Path

import platformdirs

from warpwright.record.session import Session


def session_secret(session: Session) -> str:
    """64 hex digits, made at first use; the filed one once the session has ended."""
    filed = session.directory / "secret"
    if filed.exists():
        return filed.read_text(encoding="ascii").strip()
    path = secret_path(session)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_hex(32), encoding="ascii")
        fresh.replace(path)  # whole or not at all: a killed process leaves no half secret
    return path.read_text(encoding="ascii").strip()


def file_secret(session: Session) -> None:
    """Move the secret into the session directory: nothing is proposed any more."""
    path = secret_path(session)
    if path.exists():
        (session.directory / "secret").write_text(path.read_text(encoding="ascii"), encoding="ascii")
        path.unlink()


def secret_path(session: Session) -> Path:
    """Where the secret of a running session lies."""
    return platformdirs.user_state_path("warpwright") / "secrets" / session.identifier
