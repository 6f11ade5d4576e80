"""One writer per session: an operating-system lock that a kill releases, with the owner's name beside it."""

import json
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from warpwright.errors import InfrastructureError, RecordError

# Windows locks forbid others to read the locked bytes; the owner's name must stay readable, so lock far behind it.
_LOCKED_BYTE = 1 << 30
_TRIES = 5
_PAUSE_S = 0.02


class SessionLock:
    """The lock of one session directory, held until `release` or the end of the process."""

    def __init__(self, path: Path) -> None:
        """Take the lock. Raises: RecordError naming the process that holds it."""
        self._path = path
        try:
            path.touch()
            self._stream: BinaryIO | None = path.open("r+b")
        except OSError as error:
            raise InfrastructureError(f"{path}: cannot be opened ({error.strerror or error}).") from error
        if not _lock_patiently(self._stream):
            self._stream.close()
            raise RecordError(_held_message(path))
        self._write_owner(self._stream)

    def release(self) -> None:
        """Give the lock back; doing it twice is harmless."""
        if self._stream is None:
            return
        self._stream.seek(0)
        self._stream.truncate()
        _unlock(self._stream)
        self._stream.close()
        self._stream = None

    @staticmethod
    def _write_owner(stream: BinaryIO) -> None:
        owner = {"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
        stream.seek(0)
        stream.truncate()
        stream.write(json.dumps(owner).encode())
        stream.flush()


def is_locked(path: Path) -> bool:
    """True if a living process holds this lock now."""
    if not path.exists():
        return False
    with path.open("rb") as stream:
        if not _try_lock(stream):
            return True
        _unlock(stream)
    return False


def _lock_patiently(stream: BinaryIO) -> bool:
    """`is_locked` of another process holds the lock for an instant; that must not look like a writer."""
    for _ in range(_TRIES):
        if _try_lock(stream):
            return True
        time.sleep(_PAUSE_S)
    return False


def _held_message(path: Path) -> str:
    try:
        owner = json.loads(path.read_bytes())
        who = f"process {owner['pid']} since {owner['since']}"
    except (ValueError, KeyError, TypeError, OSError):
        who = "another process"  # the owner is between taking the lock and writing its name
    return f"{path.parent}: in use by {who}. Wait for it, or stop it, then try again."


if sys.platform == "win32":
    import msvcrt

    def _try_lock(stream: BinaryIO) -> bool:
        stream.seek(_LOCKED_BYTE)
        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(stream: BinaryIO) -> None:
        stream.seek(_LOCKED_BYTE)
        msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(stream: BinaryIO) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(stream: BinaryIO) -> None:
        fcntl.flock(stream, fcntl.LOCK_UN)
