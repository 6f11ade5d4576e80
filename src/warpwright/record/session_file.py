"""`session.json`, which tells a session directory from any other and which version wrote it, and `summary.json`, its end."""

import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from warpwright.errors import InfrastructureError, RecordError
from warpwright.record.files import read_document, read_model, to_bytes, write_atomic
from warpwright.record.options import SessionOptions
from warpwright.record.schema import SCHEMA, FinalCheckModel, SessionFile, SummaryFile
from warpwright.record.summary import FinalCheck, Summary

SESSION = "session.json"
SUMMARY = "summary.json"
LOCK = "lock"
_SAME_SECOND_LIMIT = 1000


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


class SessionHead:
    """What `session.json` says of the session in a directory. Raises: RecordError, as `read_session_file`."""

    def __init__(self, directory: Path) -> None:
        """Read once; it never changes."""
        self._directory = directory
        self._file = read_session_file(directory)

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


def new_directory(root: Path, stamp: str, workload: str) -> Path:
    """A directory of its own below `root`: `20260301-142530-softmax`. Raises: InfrastructureError when the disk refuses."""
    name = f"{stamp}-{re.sub(r'[^A-Za-z0-9_.-]+', '-', workload).strip('-.') or 'workload'}"
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


def write_summary_file(directory: Path, summary: Summary) -> None:
    """Write `summary.json`: its presence means that the session has ended."""
    file = SummaryFile(
        stop=summary.stop,
        best=summary.best,
        final_checks=[FinalCheckModel(**asdict(check)) for check in summary.final_checks],
        elapsed_s=summary.elapsed_s,
        published=summary.published,
        published_reference=summary.published_reference,
        unpublished=summary.unpublished,
        sanitizer=summary.sanitizer,
    )
    write_atomic(directory / SUMMARY, to_bytes(file))


def read_summary_file(directory: Path) -> Summary | None:
    """How a session ended; None while it goes on. Raises: RecordError if the file is damaged."""
    if not (directory / SUMMARY).exists():
        return None
    file = read_model(directory / SUMMARY, SummaryFile)
    checks = tuple(FinalCheck(check.number, check.passed, check.message) for check in file.final_checks)
    published = (file.published, file.published_reference, file.unpublished)
    return Summary(file.stop, file.best, checks, file.elapsed_s, *published, sanitizer=file.sanitizer)
