"""A session: one directory that holds everything a run found out, readable after a kill at any moment."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from warpwright.candidate.candidate import Candidate
from warpwright.errors import RecordError
from warpwright.evaluation.outcome import Evaluation
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.profiler.profile import CaseProfile
from warpwright.record.attempt import Attempt, Hypothesis, PendingAttempt, TuningPoint
from warpwright.record.attempt_files.best import best_number, remove_best, write_best
from warpwright.record.attempt_files.store import AttemptStore
from warpwright.record.event import Event, LedgerEntry, LedgerKind
from warpwright.record.files import (
    remove_partial,
    sync_directory,
    to_bytes,
    write_atomic,
)
from warpwright.record.kept import DIAGNOSIS, GUIDANCE, PROFILES, Kept, read_kept, write_kept
from warpwright.record.ledger.journal import Journal
from warpwright.record.ledger.spending import Spending
from warpwright.record.lock import SessionLock
from warpwright.record.options import SessionOptions
from warpwright.record.schema import (
    SCHEMA,
    OptionsModel,
    SessionFile,
)
from warpwright.record.session_file import (
    LOCK,
    SESSION,
    SUMMARY,
    SessionHead,
    new_directory,
    read_session_file,
    read_summary_file,
    write_summary_file,
)
from warpwright.record.summary import Summary
from warpwright.workload.freeze import freeze_workload
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload


class Session(SessionHead):
    """One run and its record. Made by `create` or `open`; a context manager that gives the lock back.

    Only one process at a time may write; readers use `open(directory, lock=False)`.
    """

    def __init__(self, directory: Path, lock: SessionLock | None) -> None:
        """Use `create` or `open`."""
        super().__init__(directory)
        self._lock = lock
        self._kept: dict[tuple[int, str], Any] = {}
        self._workload = load_workload(directory / "workload", frozen=True)
        if self._workload.content_hash != self._file.workload_hash:
            raise RecordError(f"{directory / 'workload'}: changed since the session began. Restore it from a copy.")
        self._attempts = AttemptStore(directory / "attempts")
        self._journal = Journal(directory)
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
        directory = new_directory(root, f"{now:%Y%m%d-%H%M%S}", workload.name)
        lock = SessionLock(directory / LOCK)
        with ExitStack() as undone:
            undone.callback(lock.release)
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
            session = cls(directory, lock)
            undone.pop_all()
        return session

    @classmethod
    def open(cls, directory: Path, *, lock: bool = True) -> Self:
        """Read a session. lock: also become its writer and clear up after a kill.

        Raises: RecordError if it is missing, no session, of another schema, damaged (the file is named) or in use.
        """
        read_session_file(directory)
        with ExitStack() as undone:
            held = SessionLock(directory / LOCK) if lock else None
            if held is not None:
                undone.callback(held.release)
            session = cls(directory, held)
            undone.pop_all()
        return session

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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

    def attempt(self, number: int) -> Attempt:
        """The finished attempt of that number. Raises: RecordError if there is none."""
        if not 1 <= number <= self.attempt_count:
            raise RecordError(
                f"{self._directory}: there is no finished attempt {number}; there are {self.attempt_count}."
            )
        return self._attempts.finished[number - 1]

    def incumbents(self) -> tuple[int, ...]:
        """Every attempt that was the incumbent, in order; those that a final check refused are among them."""
        return self._attempts.incumbents(self._refused())

    def incumbent(self) -> int:
        """Number of the fastest attempt that passed everything and that no final check refused; 0 = none."""
        refused = self._refused()
        return max((number for number in self.incumbents() if number not in refused), default=0)

    def best(self) -> int:
        """The incumbent; once the session has ended, the attempt that the final check bears out. 0 = none."""
        summary = self.summary()
        return self.incumbent() if summary is None else summary.best

    def pending(self) -> tuple[PendingAttempt, ...]:
        """Attempts that were begun and have no outcome yet, in order; their numbers come after those of all finished ones."""
        return self._attempts.pending

    @property
    def next_number(self) -> int:
        """Number of the attempt that is begun next."""
        return self._attempts.next_number

    def attempt_directory(self, number: int) -> Path:
        """Where more may be put beside an attempt's record: `proposal/`, `outputs/`, `diagnosis.json`."""
        return self._attempts.directory_of(number)

    def begin(
        self,
        candidate: Candidate,
        hypothesis: Hypothesis | None,
        proposer: str,
        parent: int,
        fabricated_citations: int = 0,
        reason: str = "",
    ) -> int:
        """Number of a new attempt, its directory and candidate written before any work is done.

        An unfinished attempt's own candidate again gives that attempt's number. parent: 0 = none.
        """
        self._require_lock()
        return self._attempts.begin(candidate, hypothesis, proposer, parent, fabricated_citations, reason)

    def finish(self, number: int, evaluation: Evaluation) -> Attempt:
        """Keep the outcome of the first unfinished attempt; the same outcome again changes nothing.

        Raises: RecordError for another outcome of a finished attempt, a number never begun, or one whose turn has not come.
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

    def finish_tuning(self, number: int) -> None:
        """Note that the search from an attempt is at its end."""
        self._require_lock()
        self._attempts.finish_tuning(number)

    def tuning_finished(self, number: int) -> bool:
        """True if the search from an attempt is at its end."""
        return self._attempts.tuning_finished(number)

    def write_profiles(self, number: int, profiles: tuple[CaseProfile, ...]) -> None:
        """Keep the counters of a finished attempt, once."""
        self._write_kept(number, PROFILES, profiles)

    def profiles(self, number: int) -> tuple[CaseProfile, ...] | None:
        """Counters of an attempt, by case, and be there none; None if it was not profiled."""
        return self._read_kept(number, PROFILES)

    def write_diagnosis(self, number: int, diagnosis: AttemptDiagnosis) -> None:
        """Keep what the counters of a finished attempt say, once."""
        self._write_kept(number, DIAGNOSIS, diagnosis)

    def diagnosis(self, number: int) -> AttemptDiagnosis | None:
        """What the counters of an attempt say; None if it was not diagnosed."""
        return self._read_kept(number, DIAGNOSIS)

    def write_guidance(self, number: int, guidance: Guidance) -> None:
        """Keep what is advised on the bottleneck of a finished attempt, once."""
        self._write_kept(number, GUIDANCE, guidance)

    def guidance(self, number: int) -> Guidance | None:
        """What is advised on the bottleneck of an attempt; None if nothing was looked up."""
        return self._read_kept(number, GUIDANCE)

    def promote(self, number: int) -> None:
        """Make `best/` this attempt, ready to use. Raises: RecordError if it never was the incumbent."""
        self._require_lock()
        if number not in self.incumbents():
            raise RecordError(
                f"{self._directory}: attempt {number} never was the incumbent; {list(self.incumbents())} were."
            )
        if best_number(self._directory) != number:
            write_best(self._directory, self.attempt(number), self._workload, self.identifier)

    def watch(self, watcher: Callable[[Event], None]) -> Callable[[], None]:
        """Call `watcher` with every event of this process from now on; the returned function ends that."""
        return self._journal.watch(watcher)

    def emit(self, event: Event) -> None:
        """Append an event to `events.jsonl` and tell the watchers."""
        self._require_lock()
        self._journal.emit(event)

    def events(self) -> tuple[Event, ...]:
        """Every event so far."""
        return self._journal.events()

    def charge(
        self, kind: LedgerKind, attempt: int | None, seconds: float, device_seconds: float | None = None
    ) -> None:
        """Append a spend to `ledger.jsonl`: wall seconds, and seconds the device was held where known."""
        self.spend(LedgerEntry(kind, attempt, seconds, device_seconds))

    def spend(self, entry: LedgerEntry) -> None:
        """Append a spend to `ledger.jsonl`; it is on the disk when this returns."""
        self._require_lock()
        self._journal.spend(entry)

    def ledger(self) -> tuple[LedgerEntry, ...]:
        """Every spend so far."""
        return self._journal.ledger()

    def spending(self) -> Spending:
        """Sum of every spend of the session: those on disk when it was opened, and this process's since."""
        return self._journal.spending()

    def spent_s(self) -> float:
        """Wall seconds of every spend so far, over all processes of the session."""
        return self.spending().seconds

    def write_summary(self, summary: Summary) -> None:
        """End the session: `best/` is what the final check bears out, then `summary.json`."""
        self._require_lock()
        if summary.best:
            self.promote(summary.best)
        else:
            remove_best(self._directory)
        write_summary_file(self._directory, summary)

    def summary(self) -> Summary | None:
        """How the session ended; None while it goes on."""
        return read_summary_file(self._directory)

    @property
    def ended(self) -> bool:
        """True once `write_summary` was called: nothing is left to resume."""
        return (self._directory / SUMMARY).exists()

    def close(self) -> None:
        """Give the lock back; reading goes on to work."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _write_kept[T](self, number: int, kept: Kept[T], value: T) -> None:
        self._require_lock()
        write_kept(self.attempt_directory(self.attempt(number).number), kept, value)

    def _read_kept[T](self, number: int, kept: Kept[T]) -> T | None:
        """Read once: what is written is never changed."""
        known: T | None = self._kept.get((number, kept.name))
        if known is None:
            known = read_kept(self.attempt_directory(number), kept)
            self._kept[number, kept.name] = known
        return known

    def _refused(self) -> frozenset[int]:
        summary = self.summary()
        checks = () if summary is None else summary.final_checks
        return frozenset(check.number for check in checks if not check.passed)

    def _require_lock(self) -> None:
        if self._lock is None:
            raise RecordError(f"{self._directory}: opened for reading only; open it with its lock to write.")

    def _repair(self) -> None:
        remove_partial(self._directory)
        self._journal.repair()
        self._attempts.repair()
        best = self.best()
        if best and best_number(self._directory) != best:  # a kill came between the outcome and `promote`
            self.promote(best)
