"""The exchange folder: large attachments as files in memory that the harness maps (`docs/harness.md`, *Messages*)."""

import errno
import mmap
import os
import re
import stat
import sys
from pathlib import Path
from typing import Self

from warpwright.device.gpu.wire.attachments import Attachment, map_array
from warpwright.device.protocol import Array
from warpwright.isolation.framing import Misfit
from warpwright.isolation.owned_folder import OwnedFolder

LARGEST_INLINE_BYTES = 64 * 1024
"""Attachments up to this size follow their line: a file would cost more than it saves."""

MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""

_KIND = "warpwright-exchange"

_NAME = re.compile(r"[A-Za-z0-9-][A-Za-z0-9.-]{0,63}")
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOMEM})


class Exchange:
    """A private folder of one harness process. `remove` may come from any thread; the end of this process removes it too,
    and what a killed one left is removed by the next (`OwnedFolder`).
    """

    def __init__(self, owned: OwnedFolder) -> None:
        self.folder = owned.path
        self._owned = owned
        self._written = 0

    @classmethod
    def make(cls) -> Self | None:
        """None where the system keeps no files in memory, or lets us write none: then everything crosses the pipes."""
        if sys.platform != "linux" or not MEMORY.is_dir():
            return None
        try:
            owned = OwnedFolder.make(MEMORY, _KIND)
        except OSError:
            return None
        if not owned.locked:  # a kind of folder that has no locks
            owned.remove()
            return None
        return cls(owned)

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
        self._owned.remove()


def _map(file: int, size_bytes: int) -> mmap.mmap:
    if sys.version_info >= (3, 13):  # no descriptor for each array that lives
        return mmap.mmap(file, size_bytes, access=mmap.ACCESS_COPY, trackfd=False)
    return mmap.mmap(file, size_bytes, access=mmap.ACCESS_COPY)
