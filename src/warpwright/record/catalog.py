"""The sessions below a directory, and finding one by what a person types."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from warpwright.errors import RecordError
from warpwright.record.attempt_files.evaluation_files import OUTCOME
from warpwright.record.attempt_files.store import incumbent_numbers
from warpwright.record.files import read_model
from warpwright.record.lock import is_locked
from warpwright.record.schema import OutcomeFile, SummaryFile
from warpwright.record.session_file import LOCK, SESSION, SUMMARY, read_session_file

_SHOWN = 8


class SessionState(StrEnum):
    """Where a session stands."""

    RUNNING = "running"
    ENDED = "ended"
    RESUMABLE = "resumable"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class SessionListing:
    """One line about a session. best: attempt, 0 = none. Times in us over the perf cases; None is unknown.

    message: why it is unreadable.
    """

    identifier: str
    directory: Path
    state: SessionState
    workload: str = ""
    device: str = ""
    created_at: str = ""
    attempts: int = 0
    best: int = 0
    initial_us: float | None = None
    best_us: float | None = None
    message: str = ""

    @property
    def speedup(self) -> float | None:
        """Initial time over best time."""
        return self.initial_us / self.best_us if self.initial_us and self.best_us else None


def list_sessions(root: Path) -> list[SessionListing]:
    """Every session directly below `root`, oldest first; one that cannot be read says why instead of being left out."""
    if not root.is_dir():
        return []
    found = [_listing(entry) for entry in root.iterdir() if (entry / SESSION).is_file()]
    return sorted(found, key=lambda listing: (listing.created_at, listing.identifier))


def find_session(root: Path, text: str) -> Path:
    """A session by path, identifier, the beginning of one, or `last`. Raises: RecordError naming what there is."""
    if (Path(text) / SESSION).is_file():
        return Path(text)
    sessions = list_sessions(root)
    if text == "last" and sessions:
        return sessions[-1].directory
    exact = [listing for listing in sessions if listing.directory.name == text]
    matches = exact or [listing for listing in sessions if listing.directory.name.startswith(text)]
    if len(matches) == 1:
        return matches[0].directory
    if matches:
        raise RecordError(f"{text!r} begins {len(matches)} sessions: {_names(matches)}. Type more of the name.")
    there = f"There are: {_names(sessions)}." if sessions else "There are none."
    raise RecordError(f"no session {text!r} below {root}. {there} Give a path, a name, its beginning, or `last`.")


def _names(sessions: Sequence[SessionListing]) -> str:
    names = [listing.directory.name for listing in sessions[-_SHOWN:]]
    return ", ".join(names) if len(sessions) <= _SHOWN else f"... {', '.join(names)}"


def _listing(directory: Path) -> SessionListing:
    try:
        return _read_listing(directory)
    except RecordError as error:
        return SessionListing(directory.name, directory, SessionState.UNREADABLE, message=str(error))


def _read_listing(directory: Path) -> SessionListing:
    file = read_session_file(directory)
    paths = sorted(directory.glob(f"attempts/*/{OUTCOME}"), key=lambda path: int(path.parent.name))
    outcomes = [read_model(path, OutcomeFile) for path in paths]
    best = _best(directory, outcomes)
    return SessionListing(
        identifier=file.identifier,
        directory=directory,
        state=_state(directory),
        workload=file.workload,
        device=file.device,
        created_at=file.created_at,
        attempts=len(outcomes),
        best=0 if best is None else best.number,
        initial_us=outcomes[0].geomean_us if outcomes else None,
        best_us=None if best is None else best.geomean_us,
    )


def _best(directory: Path, outcomes: Sequence[OutcomeFile]) -> OutcomeFile | None:
    if (directory / SUMMARY).exists():
        number = read_model(directory / SUMMARY, SummaryFile).best
    else:
        number = max(incumbent_numbers((row.number, row.outcome) for row in outcomes), default=0)
    return outcomes[number - 1] if 1 <= number <= len(outcomes) else None


def _state(directory: Path) -> SessionState:
    if is_locked(directory / LOCK):
        return SessionState.RUNNING
    return SessionState.ENDED if (directory / SUMMARY).exists() else SessionState.RESUMABLE
