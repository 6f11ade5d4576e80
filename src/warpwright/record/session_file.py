"""`session.json`: what tells a session directory from any other, and which version wrote it."""

from pathlib import Path

from warpwright.errors import RecordError
from warpwright.record.files import read_document, read_model
from warpwright.record.schema import SCHEMA, SessionFile

SESSION = "session.json"
SUMMARY = "summary.json"
LOCK = "lock"


def read_session_file(directory: Path) -> SessionFile:
    """The head of a session. Raises: RecordError if missing, no session, of another schema, or damaged."""
    if not directory.is_dir():
        raise RecordError(f"{directory}: no such session directory. `warpwright sessions` lists those there are.")
    path = directory / SESSION
    if not path.exists():
        raise RecordError(f"{directory}: not a session: {SESSION} is missing (or its creation was interrupted).")
    found = read_document(path).get("schema_version")
    if isinstance(found, int) and found != SCHEMA:
        raise RecordError(f"{path}: schema {found}; this Warpwright reads {SCHEMA}. Use the version that wrote it.")
    return read_model(path, SessionFile)
