"""The history across sessions: one SQLite file of this user, safe to use from several processes."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from warpwright.errors import InfrastructureError, RecordError
from warpwright.record.event import now
from warpwright.record.history.fingerprint import Axis, Fingerprint, OperationKind
from warpwright.record.history.lesson import Lesson, Trial
from warpwright.record.history.schema import changing, reading

MOST_LESSONS = 400
"""Newest sessions of a kind that are looked at: what older ones say of the same thing is of older compilers and moves."""
_COLUMNS = "directory, session, workload, workload_hash, fingerprint, arch, gpu, measured, learnt_at"
_NEWEST_FIRST = "ORDER BY learnt_at DESC, directory"


@dataclass(frozen=True, slots=True)
class Learnt:
    """A lesson as it is kept. at: ISO 8601, when it was learnt."""

    lesson: Lesson
    at: str


class History:
    """What was learnt, in one file; nothing is opened between calls.

    Every call raises RecordError if the file is damaged, someone else's or of another version, and InfrastructureError if it
    is locked, may not be written or the disk refuses.
    """

    def __init__(self, path: Path) -> None:
        """The file need not exist: it is made by the first `learn`."""
        self.path = path

    def learn(self, lesson: Lesson) -> None:
        """Keep what a session teaches, in place of what was kept of it before."""
        session = (
            lesson.directory, lesson.session, lesson.workload, lesson.workload_hash,
            json.dumps(asdict(lesson.fingerprint)), lesson.fingerprint.kind.value, lesson.arch, lesson.gpu,
            lesson.measured, now(),
        )  # fmt: skip
        trials = [
            (lesson.directory, t.attempt, t.technique, t.card, t.bottleneck, t.gain, t.worked, t.proposer)
            for t in lesson.trials
        ]
        with changing(self.path) as connection:
            connection.execute("DELETE FROM session WHERE directory = ?", (lesson.directory,))
            connection.execute("INSERT INTO session VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", session)
            connection.executemany("INSERT INTO trial VALUES(?, ?, ?, ?, ?, ?, ?, ?)", trials)

    def lessons(self, kind: OperationKind, arch: str, *, measured: bool) -> tuple[Lesson, ...]:
        """Of one kind of operation on one architecture; estimates and measurements are never mixed. Newest first."""
        where = "WHERE kind = ? AND arch = ? AND measured = ?"
        return tuple(found.lesson for found in self._read(where, (kind.value, arch, measured), MOST_LESSONS))

    def everything(self) -> tuple[Learnt, ...]:
        """Every lesson, newest first."""
        return self._read("", (), -1)

    def names(self) -> tuple[tuple[str, str], ...]:
        """Identifier and directory of every session that taught something, newest first; their lessons are not read."""
        if not self.path.exists():
            return ()
        with reading(self.path) as connection:
            rows = connection.execute(f"SELECT session, directory FROM session {_NEWEST_FIRST}")
            return tuple((session, directory) for session, directory in rows)

    def forget(self, sessions: Iterable[str]) -> int:
        """Drop the lessons of sessions, by identifier or directory; how many there were."""
        if not self.path.exists():
            return 0
        with changing(self.path) as connection:
            return sum(
                connection.execute("DELETE FROM session WHERE session = ? OR directory = ?", (name, name)).rowcount
                for name in sessions
            )

    def forget_all(self) -> None:
        """Remove the file, whatever it holds."""
        for path in (self.path, *(self.path.with_name(self.path.name + end) for end in ("-journal", "-wal", "-shm"))):
            with suppress(FileNotFoundError):
                try:
                    path.unlink()
                except PermissionError as error:
                    raise InfrastructureError(f"{path}: cannot be removed ({error.strerror or error}).") from error

    def _read(self, where: str, values: Sequence[Any], limit: int) -> tuple[Learnt, ...]:
        if not self.path.exists():
            return ()
        with reading(self.path) as connection:
            wanted = f"SELECT {_COLUMNS} FROM session {where} {_NEWEST_FIRST} LIMIT ?"
            rows = connection.execute(wanted, (*values, limit)).fetchall()
            return tuple(_learnt(self.path, row, _trials(connection, row[0])) for row in rows)


def _trials(connection: sqlite3.Connection, directory: str) -> tuple[Trial, ...]:
    columns = "attempt, technique, card, bottleneck, gain, worked, proposer"
    rows = connection.execute(f"SELECT {columns} FROM trial WHERE directory = ? ORDER BY attempt", (directory,))
    return tuple(Trial(a, t, c, b, g, bool(w), p) for a, t, c, b, g, w, p in rows)


def _learnt(path: Path, row: Sequence[Any], trials: tuple[Trial, ...]) -> Learnt:
    directory, session, workload, workload_hash, fingerprint, arch, gpu, measured, at = row
    try:
        kept = json.loads(fingerprint)
        mark = Fingerprint(
            kind=OperationKind(kept["kind"]),
            inputs=tuple(kept["inputs"]),
            outputs=tuple(kept["outputs"]),
            summed=Axis(kept["summed"]),
            tensor_cores=bool(kept["tensor_cores"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(
            f"{path}: damaged: no fingerprint of {session} ({error}). `warpwright history forget {session}` drops it."
        ) from error
    lesson = Lesson(session, directory, workload, workload_hash, mark, arch, gpu, bool(measured), trials)
    return Learnt(lesson, at)
