"""A lock between processes that a kill releases, with the holder's number beside it."""

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCKED_BYTE = 1 << 30
"""Windows locks forbid others to read the locked bytes; the holder's number must stay readable, so lock far behind it."""

_SHORT_PAUSE_S, _PAUSE_S = 0.0005, 0.01
"""Between two tries; the first ones come soon, since most locks are held for a moment."""

_HOLDER_BYTES = 32
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""In a folder that everybody may write to, somebody may have put a link or a pipe under the name."""
_EVERYBODY = 0o666


class LockBusy(Exception):
    """Somebody else held the lock all the time. holder: process id, None if unknown."""

    def __init__(self, path: Path, holder: int | None) -> None:
        super().__init__(f"{path} is held by {'another process' if holder is None else f'process {holder}'}")
        self.holder = holder


def machine_folder() -> Path:
    """For locks that all users and sessions of this machine share, whatever their own folders for temporary files are."""
    if sys.platform == "win32":
        return Path(os.environ.get("PROGRAMDATA", r"C:\ProgramData"))
    return Path("/tmp")


@contextmanager
def file_lock(path: Path, patience_s: float) -> Iterator[None]:
    """Hold the lock; wait for it up to `patience_s`. Raises: LockBusy, OSError if the file cannot be opened."""
    with _opened(path) as descriptor:
        _wait(path, descriptor, patience_s, lambda: _try_lock(descriptor))
        _write_holder(descriptor)
        try:
            yield
        finally:
            _unlock(descriptor)


@contextmanager
def shared_lock(path: Path, patience_s: float) -> Iterator[None]:
    """Hold the lock beside others that share it: `file_lock` of the same file waits for all of them, and they for it.

    On Windows it is only waited for, and not held. Raises: LockBusy, OSError if the file cannot be opened.
    """
    with _opened(path) as descriptor:
        _wait(path, descriptor, patience_s, lambda: _try_share(descriptor))
        yield


def _wait(path: Path, descriptor: int, patience_s: float, succeeds: Callable[[], bool]) -> None:
    deadline, pause_s = time.monotonic() + patience_s, _SHORT_PAUSE_S
    while not succeeds():
        if time.monotonic() >= deadline:
            raise LockBusy(path, _holder(descriptor))
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _PAUSE_S)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Closing it gives the lock back."""
    descriptor = _open(path)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise OSError(errno.EINVAL, "no plain file with one name", str(path))
        _open_to_all(path.parent, descriptor, found)
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    """For all users of the machine: whoever may not write a file that another one made can still lock it."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | _SAFELY, 0o666)
    except PermissionError:  # another user's: Linux lets nobody create it anew in a folder that everybody may write to
        try:
            return os.open(path, os.O_RDWR | _SAFELY)
        except PermissionError:
            return os.open(path, os.O_RDONLY | _SAFELY)


def _open_to_all(folder: Path, descriptor: int, found: os.stat_result) -> None:
    """A file of ours in a folder that everybody may write to: whatever our umask is, others must be able to lock it."""
    if sys.platform != "win32" and folder.stat().st_mode & stat.S_IWOTH and found.st_uid == os.geteuid():
        os.fchmod(descriptor, _EVERYBODY)


def _write_holder(descriptor: int) -> None:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"{os.getpid():<20}\n".encode())
    except OSError:
        return  # opened for reading only: the holder stays unknown


def _holder(descriptor: int) -> int | None:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        text = os.read(descriptor, _HOLDER_BYTES).strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _try_share(descriptor: int) -> bool:
        """Its locks are exclusive, also within a process: processes that start at once would wait for each other."""
        free = _try_lock(descriptor)
        if free:
            _unlock(descriptor)
        return free

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        return _flock(descriptor, fcntl.LOCK_EX)

    def _try_share(descriptor: int) -> bool:
        return _flock(descriptor, fcntl.LOCK_SH)

    def _flock(descriptor: int, kind: int) -> bool:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
