"""A lock between processes that a kill releases, with the holder's number beside it."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCKED_BYTE = 1 << 30
"""Windows locks forbid others to read the locked bytes; the holder's number must stay readable, so lock far behind it."""

_PAUSE_S = 0.01


class LockBusy(Exception):
    """Somebody else held the lock all the time. holder: process id, None if unknown."""

    def __init__(self, path: Path, holder: int | None) -> None:
        super().__init__(f"{path} is held by {'another process' if holder is None else f'process {holder}'}")
        self.holder = holder


@contextmanager
def file_lock(path: Path, patience_s: float) -> Iterator[None]:
    """Hold the lock; wait for it up to `patience_s`. Raises: LockBusy, OSError if the file cannot be opened."""
    descriptor = _open(path)
    try:
        deadline = time.monotonic() + patience_s
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise LockBusy(path, _holder(path))
            time.sleep(_PAUSE_S)
        _write_holder(descriptor)
        try:
            yield
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    """For all users of the machine: whoever may not write a file that another one made can still lock it."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        return os.open(path, os.O_RDONLY)


def _write_holder(descriptor: int) -> None:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"{os.getpid():<20}\n".encode())
    except OSError:
        return  # opened for reading only: the holder stays unknown


def _holder(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return int(text) if text.isdecimal() else None


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
