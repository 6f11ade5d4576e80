"""The exchange folder: large attachments as files in memory that the harness maps (`docs/harness.md`, *Messages*)."""

import errno
import mmap
import os
import re
import shutil
import stat
import sys
import tempfile
import weakref
from functools import cache
from pathlib import Path
from typing import Self

from warpwright.device.gpu.wire.attachments import Attachment, map_array
from warpwright.device.protocol import Array
from warpwright.isolation.framing import Misfit

LARGEST_INLINE_BYTES = 64 * 1024
"""Attachments up to this size follow their line: a file would cost more than it saves."""

MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""

_PREFIX = "warpwright-exchange-"
_NEW = "warpwright-new-"
"""Of a folder that is not locked yet."""

_NAME = re.compile(r"[A-Za-z0-9-][A-Za-z0-9.-]{0,63}")
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOMEM})


class Exchange:
    """A private folder of one harness process. `remove` may come from any thread; the end of this process removes it too.

    A lock on the folder tells others that its owner lives: what a killed owner left is removed by the next one.
    """

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder = folder
        self._written = 0
        self._remove = weakref.finalize(self, _remove, folder, lock)

    @classmethod
    def make(cls) -> Self | None:
        """None where the system keeps no files in memory, or lets us write none: then everything crosses the pipes."""
        if sys.platform != "linux" or not MEMORY.is_dir():
            return None
        _remove_orphans(MEMORY)
        try:
            fresh = Path(tempfile.mkdtemp(prefix=_NEW, dir=MEMORY))
        except OSError:
            return None
        lock = _lock(fresh)
        if lock is None:  # a kind of folder that has no locks
            fresh.rmdir()
            return None
        folder = fresh.with_name(_PREFIX + fresh.name.removeprefix(_NEW))
        fresh.rename(folder)
        return cls(folder, lock)

    def put(self, attachment: Attachment) -> str | None:
        """Write it and give its name; None if it is small or there is no room: then it has to follow its line."""
        if attachment.size_bytes <= LARGEST_INLINE_BYTES:
            return None
        name = f"request-{self._written}.npy"
        self._written += 1
        path = self.folder / name
        try:
            with path.open("xb") as file:
                attachment.write(file)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            path.unlink()
            return None
        return name

    def take(self, name: str, size_bytes: int) -> Array:
        """The harness's array of that name, mapped; its name is removed. Writing to it copies the page.

        Raises: Misfit for anything but a file of that size in this folder; OSError if it cannot be mapped.
        """
        if not _NAME.fullmatch(name):
            raise Misfit(f"npy_files names {name!r}; allowed: letters, digits, '-' and '.'")
        path = self.folder / name
        try:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise Misfit(f"npy_files names {name!r}, which cannot be read: {error.strerror}") from error
        try:
            path.unlink()
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_size != size_bytes or not size_bytes:
                raise Misfit(f"npy_files names {name!r}, which is no file of the {size_bytes} bytes of npy_bytes")
            mapped = _map(file, size_bytes)
        finally:
            os.close(file)
        return map_array(mapped)

    def remove(self) -> None:
        """Nothing can be exchanged any more; arrays that were taken stay. Doing it twice is harmless."""
        self._remove()


def _map(file: int, size_bytes: int) -> mmap.mmap:
    if sys.version_info >= (3, 13):  # no descriptor for each array that lives
        return mmap.mmap(file, size_bytes, access=mmap.ACCESS_COPY, trackfd=False)
    return mmap.mmap(file, size_bytes, access=mmap.ACCESS_COPY)


def _lock(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock; None if somebody else does or the folder is gone."""
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


@cache
def _remove_orphans(memory: Path) -> None:
    """What processes of this user left that were killed. Once in the life of this one."""
    for folder in memory.glob(f"{_PREFIX}*"):
        lock = _lock(folder)
        if lock is not None:
            _remove(folder, lock)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)
