"""A private folder that goes with its owner, also with one that was killed: the next owner removes what is left."""

import os
import secrets
import shutil
import sys
import weakref
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

_NEW = "warpwright-new-"
"""Of a folder that is not locked: nobody can tell whether its owner lives, so nobody removes it."""


class OwnedFolder:
    """`remove` may come from any thread; the end of this process removes the folder too.

    A lock on the folder tells others that its owner lives: what a killed owner left is removed by the next one of its user.
    path: the folder. locked: False where folders have no locks (Windows, some file systems).
    """

    def __init__(self, parent: Path, kind: str) -> None:
        number = secrets.token_hex(8)
        fresh, path = parent / f"{_NEW}{number}", parent / f"{kind}-{number}"
        held: list[int] = []
        self._remove = weakref.finalize(self, _remove, (fresh, path), held)  # first: an interrupt may come at any time
        fresh.mkdir(0o700)
        lock = _lock(fresh)
        self.locked = lock is not None
        self.path = fresh
        if lock is not None:
            held.append(lock)
            fresh.rename(path)
            self.path = path

    @classmethod
    def make(cls, parent: Path, kind: str) -> Self:
        """A new folder KIND-..., after those of that kind whose owners were killed are removed. Raises: OSError."""
        _remove_orphans(parent, kind)
        return cls(parent, kind)

    def remove(self) -> None:
        """Doing it twice is harmless."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _lock(folder: Path) -> int | None:
    """A descriptor that holds the lock of a folder of ours; None if somebody else does, it is not ours, or it is gone."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    if os.fstat(descriptor).st_uid != os.geteuid():
        os.close(descriptor)
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


@cache
def _remove_orphans(parent: Path, kind: str) -> None:
    """What processes of this user left that were killed. Once in the life of this one."""
    for folder in parent.glob(f"{kind}-*"):
        lock = _lock(folder)
        if lock is not None:
            _remove((folder,), [lock])


def _remove(folders: Sequence[Path], held: Sequence[int]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for lock in held:
        os.close(lock)
