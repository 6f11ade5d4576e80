"""A session: one directory that holds everything a run found out, readable after a kill at any moment."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from warpwright.candidate.candidate import Candidate
from warpwright.errors import InfrastructureError, RecordError
from warpwright.evaluation.outcome import Evaluation
from warpwright.record.attempt import Attempt, Hypothesis, TuningPoint
from warpwright.record.attempts import AttemptStore, PendingAttempt
from warpwright.record.best import best_number, write_best
from warpwright.record.event import Event, LedgerEntry
from warpwright.record.files import (
    append_line,
    read_document,
    read_lines,
    remove_partial,
    repair_tail,
    sync_directory,
    to_bytes,
    to_line,
    write_atomic,
)
from warpwright.record.lock import SessionLock
from warpwright.record.options import SessionOptions
from warpwright.record.schema import SCHEMA, EventLine, LedgerLine, OptionsModel, SessionFile
from warpwright.record.session_file import SESSION, read_session_file
from warpwright.workload.freeze import freeze_workload
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

_EVENTS, _LEDGER, _SUMMARY, _LOCK = "events.jsonl", "ledger.jsonl", "summary.json", "lock"
_SAME_SECOND_LIMIT = 1000


class Session:
    """One run and its record. Made by `create` or `open`; a context manager that gives the lock back.

    Only one process at a time may write; readers use `open(directory, lock=False)`.
    """

    def __init__(self, directory: Path, lock: SessionLock | None) -> None:
        """Use `create` or `open`."""
        self._file = read_session_file(directory)
        self._directory = directory
        self._lock = lock
        self._workload = load_workload(directory / "workload")
        if self._workload.content_hash != self._file.workload_hash:
            raise RecordError(f"{directory / 'workload'}: changed since the session began. Restore it from a copy.")
        self._attempts = AttemptStore(directory / "attempts")
        if lock is not None:
            self._repair()

    @classmethod
    def create(
        cls,
        root: Path,
        workload: Workload,
        options: SessionOptions,
        versions: Mapping[str, str],
        device: str,
        graph_version: int,
    ) -> Self:
        """Begin a session below `root`: its own directory, a frozen copy of the workload, the lock.

        versions: name -> version of everything that shapes results. device: its one-line description.
        Raises: InfrastructureError when the disk refuses.
        """
        now = datetime.now(UTC).astimezone()
        directory = _new_directory(root, f"{now:%Y%m%d-%H%M%S}-{_slug(workload.name)}")
        lock = SessionLock(directory / _LOCK)
        try:
            freeze_workload(workload, directory / "workload")
            (directory / "attempts").mkdir()
            file = SessionFile(
                schema_version=SCHEMA,
                identifier=directory.name,
                created_at=now.isoformat(timespec="seconds"),
                workload=workload.name,
                workload_hash=workload.content_hash,
                device=device,
                graph_version=graph_version,
                versions=dict(versions),
                options=OptionsModel(**asdict(options)),
            )
            write_atomic(directory / SESSION, to_bytes(file))
            sync_directory(directory)
            return cls(directory, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, directory: Path, *, lock: bool = True) -> Self:
        """Read a session. lock: also become its writer and clear up after a kill.

        Raises: RecordError if it is missing, no session, of another schema, damaged (the file is named) or in use.
        """
        read_session_file(directory)
        held = SessionLock(directory / _LOCK) if lock else None
        try:
            return cls(directory, held)
        except BaseException:
            if held is not None:
                held.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def directory(self) -> Path:
        """Where everything lies."""
        return self._directory

    @property
    def identifier(self) -> str:
        """Name of the directory when it was made: `20260301-142530-softmax`."""
        return self._file.identifier

    @property
    def created_at(self) -> str:
        """ISO 8601 with offset."""
        return self._file.created_at

    @property
    def options(self) -> SessionOptions:
        """What the run was asked to do."""
        return SessionOptions(**self._file.options.model_dump())

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions of everything that shapes results, when the session began."""
        return self._file.versions

    @property
    def device(self) -> str:
        """One line on the device, for people."""
        return self._file.device

    @property
    def graph_version(self) -> int:
        """Version of the loop's graph that began the session."""
        return self._file.graph_version

    @property
    def workload(self) -> Workload:
        """The workload, from the frozen copy."""
        return self._workload

    def attempts(self) -> tuple[Attempt, ...]:
        """Finished attempts in order."""
        return self._attempts.finished

    @property
    def attempt_count(self) -> int:
        """How many attempts are finished."""
        return len(self._attempts.finished)

    def incumbent(self) -> int:
        """Number of the fastest attempt that passed everything; 0 = none."""
        return self._attempts.incumbent

    def pending(self) -> PendingAttempt | None:
        """The attempt that was begun and has no outcome yet."""
        return self._attempts.pending

    def attempt_directory(self, number: int) -> Path:
        """Where more may be put beside an attempt's record: `proposal/`, `outputs/`, `diagnosis.json`."""
        return self._attempts.directory_of(number)

    def begin(self, candidate: Candidate, hypothesis: Hypothesis | None, proposer: str, parent: int) -> int:
        """Number of a new attempt, its directory and candidate written before any work is done.

        The unfinished attempt's own candidate again gives that attempt's number. parent: 0 = none.
        Raises: RecordError if another candidate is unfinished.
        """
        self._require_lock()
        return self._attempts.begin(candidate, hypothesis, proposer, parent)

    def finish(self, number: int, evaluation: Evaluation) -> Attempt:
        """Keep the outcome of the attempt that was begun; the same outcome again changes nothing.

        Raises: RecordError for another outcome of a finished attempt, or a number never begun.
        """
        self._require_lock()
        return self._attempts.finish(number, evaluation)

    def add_tuning_point(self, number: int, point: TuningPoint) -> None:
        """Append a point to the tuning search that started from an attempt."""
        self._require_lock()
        self._attempts.add_tuning_point(number, point)

    def tuning(self, number: int) -> tuple[TuningPoint, ...]:
        """Points of the tuning search that started from an attempt, in order."""
        return self._attempts.tuning(number)

    def promote(self, number: int) -> None:
        """Make `best/` this attempt, ready to use. Raises: RecordError if it is not the incumbent."""
        self._require_lock()
        if number == 0 or number != self.incumbent():
            raise RecordError(f"{self._directory}: attempt {number} is not the incumbent ({self.incumbent()}).")
        write_best(self._directory, self.attempts()[number - 1], self._workload, self.identifier)

    def emit(self, event: Event) -> None:
        """Append an event to `events.jsonl`."""
        self._require_lock()
        line = EventLine(
            kind=event.kind, time=event.time, attempt=event.attempt, text=event.text, values=dict(event.values)
        )
        append_line(self._directory / _EVENTS, to_line(line), durable=False)

    def events(self) -> tuple[Event, ...]:
        """Every event so far."""
        lines = read_lines(self._directory / _EVENTS, EventLine)
        return tuple(Event(row.kind, row.time, row.attempt, row.text, row.values) for row in lines)

    def charge(self, entry: LedgerEntry) -> None:
        """Append a spend to `ledger.jsonl`."""
        self._require_lock()
        append_line(self._directory / _LEDGER, to_line(LedgerLine(**asdict(entry))), durable=True)

    def ledger(self) -> tuple[LedgerEntry, ...]:
        """Every spend so far."""
        return tuple(LedgerEntry(**row.model_dump()) for row in read_lines(self._directory / _LEDGER, LedgerLine))

    def write_summary(self, document: Mapping[str, object]) -> None:
        """Replace `summary.json`, the document of `show --json` at the end of a run; plain JSON values, all finite."""
        self._require_lock()
        content = json.dumps(document, indent=1, allow_nan=False).encode() + b"\n"
        write_atomic(self._directory / _SUMMARY, content)

    def summary(self) -> Mapping[str, object] | None:
        """What `write_summary` kept; None before the run has ended."""
        path = self._directory / _SUMMARY
        return read_document(path) if path.exists() else None

    def close(self) -> None:
        """Give the lock back; reading goes on to work."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _require_lock(self) -> None:
        if self._lock is None:
            raise RecordError(f"{self._directory}: opened for reading only; open it with its lock to write.")

    def _repair(self) -> None:
        remove_partial(self._directory)
        repair_tail(self._directory / _EVENTS)
        repair_tail(self._directory / _LEDGER)
        self._attempts.repair()
        incumbent = self.incumbent()
        if incumbent and best_number(self._directory) != incumbent:  # a kill came between the outcome and `promote`
            self.promote(incumbent)


def _new_directory(root: Path, name: str) -> Path:
    try:
        root.mkdir(parents=True, exist_ok=True)
        for suffix in ("", *(f"-{count}" for count in range(2, _SAME_SECOND_LIMIT))):
            try:
                (root / f"{name}{suffix}").mkdir()
            except FileExistsError:
                continue
            return root / f"{name}{suffix}"
    except OSError as error:
        raise InfrastructureError(f"{root}: no session can be made there ({error.strerror or error}).") from error
    raise InfrastructureError(f"{root}: {_SAME_SECOND_LIMIT} sessions of one second. Try again.")


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "workload"
