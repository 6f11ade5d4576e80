"""The history's file: its tables, and what SQLite's refusals mean."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from warpwright.errors import InfrastructureError, RecordError

SCHEMA_VERSION: Final = 1
_APPLICATION: Final = 0x57504857
"""Marks the file as ours: `file` and SQLite's own tools show it."""
_WAIT_S: Final = 5.0
_PRIMARY_CODE: Final = 0xFF

TABLES: Final = (
    """CREATE TABLE session(directory TEXT PRIMARY KEY, session TEXT NOT NULL, workload TEXT NOT NULL,
  workload_hash TEXT NOT NULL, fingerprint TEXT NOT NULL, kind TEXT NOT NULL, arch TEXT NOT NULL, gpu TEXT NOT NULL,
  measured INTEGER NOT NULL, learnt_at TEXT NOT NULL)""",
    """CREATE TABLE trial(directory TEXT NOT NULL REFERENCES session ON DELETE CASCADE, attempt INTEGER NOT NULL,
  technique TEXT NOT NULL, card TEXT, bottleneck TEXT, gain REAL, worked INTEGER NOT NULL, proposer TEXT NOT NULL,
  PRIMARY KEY(directory, attempt)) WITHOUT ROWID""",
    "CREATE INDEX session_scope ON session(arch, measured, kind)",
)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """The history, to read. Raises: RecordError if it is damaged or of another version, InfrastructureError if locked."""
    with _told(path), _connected(path) as connection:
        _require_ours(path, connection)
        yield connection


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """The history in one transaction, made if there is none: all of it is kept, or nothing.

    Raises: as `reading`; InfrastructureError also where the disk refuses.
    """
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _connected(path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                if _is_new(connection):
                    for table in TABLES:
                        connection.execute(table)
                    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                _require_ours(path, connection)
                yield connection


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Opened to write even by readers where that is allowed: what a killed writer left half done is then undone."""
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}", uri=True, timeout=_WAIT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection
    finally:
        connection.close()


def _is_new(connection: sqlite3.Connection) -> bool:
    return _pragma(connection, "user_version") == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone()


def _require_ours(path: Path, connection: sqlite3.Connection) -> None:
    found = _pragma(connection, "user_version")
    if _pragma(connection, "application_id") != _APPLICATION:
        raise RecordError(f"{path}: a database of something else than Warpwright. Name another file.")
    if found != SCHEMA_VERSION:
        raise RecordError(
            f"{path}: history of schema {found}; this Warpwright reads {SCHEMA_VERSION}. Use the version that wrote it, name "
            "another file, or begin anew with `warpwright history forget --all`."
        )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _in_words(path, error) from error
    except OSError as error:
        raise InfrastructureError(f"{path}: cannot be written ({error.strerror or error}).") from error


def _in_words(path: Path, error: sqlite3.DatabaseError) -> RecordError | InfrastructureError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY_CODE
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InfrastructureError(f"{path}: held by another process for more than {_WAIT_S:.0f} s.")
    refusals = {
        sqlite3.SQLITE_READONLY: "it may not be written",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_IOERR: "the disk fails",
        sqlite3.SQLITE_PERM: "it may not be opened",
    }
    if code in refusals:
        return InfrastructureError(f"{path}: {refusals[code]} ({error}).")
    return RecordError(
        f"{path}: damaged ({error}). Restore it from a copy, or begin anew with `warpwright history forget --all`."
    )
