"""Memory that the oracle shares with one of its processes, so that large arrays need not pass through a pipe."""

import os
import sys
from collections.abc import Buffer
from typing import Self

_ALIGN_BYTES = 64


class ArenaError(ValueError):
    """The shared memory holds less than was agreed: the process has shortened it."""


def aligned(offset: int) -> int:
    """The next place for an array."""
    return -(-offset // _ALIGN_BYTES) * _ALIGN_BYTES


class Arena:
    """A file in memory without a name: only who inherits its descriptor reaches it. Not thread-safe.

    The parent reads and writes it but never maps it: a process that shortens the file causes a short read, not a fault.
    The process maps it; its own limit on file sizes keeps it from making the file longer.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    def open(cls) -> Self | None:
        """An empty one; None where the system has no such files."""
        if sys.platform == "linux":
            return cls(os.memfd_create("warpwright-oracle", os.MFD_CLOEXEC))
        return None

    def resize(self, size: int) -> None:
        """Bytes from now on; 0 gives the memory back."""
        os.truncate(self.descriptor, size)

    def write(self, offset: int, data: memoryview) -> None:
        """`data` (bytes) to that place."""
        done = 0
        while done < data.nbytes:
            done += os.pwrite(self.descriptor, data[done:], offset + done)

    def read_into(self, offset: int, place: Buffer) -> None:
        """Fill `place` (bytes) from there. Raises: ArenaError."""
        view, done = memoryview(place), 0
        while done < view.nbytes:
            count = self._read(offset + done, view[done:])
            if count == 0:
                raise ArenaError(f"shared memory ends {view.nbytes - done} bytes early")
            done += count

    def close(self) -> None:
        """Give it up."""
        os.close(self.descriptor)

    def _read(self, offset: int, view: memoryview) -> int:
        if sys.platform == "win32":
            raise ArenaError("no shared memory on this system")
        return os.preadv(self.descriptor, [view], offset)
