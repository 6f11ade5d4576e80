"""Locks between processes: alone or shared, also in a folder that everybody may write to."""

import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from warpwright.isolation.file_lock import LockBusy, file_lock, shared_lock

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """A folder like /tmp."""
    folder = tmp_path / "public"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@POSIX
def test_a_shared_lock_is_held_beside_others_and_against_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with shared_lock(path, 0), shared_lock(path, 0), pytest.raises(LockBusy), file_lock(path, 0.05):
        pass
    with file_lock(path, 0), pytest.raises(LockBusy) as busy, shared_lock(path, 0.05):
        pass
    assert busy.value.holder == os.getpid()
    with file_lock(path, 0):
        pass


def test_whoever_is_to_share_waits_for_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holding, free = threading.Event(), threading.Event()

    def hold() -> None:
        with file_lock(path, 0):
            holding.set()
            free.wait(10)

    threading.Thread(target=hold).start()
    holding.wait(10)
    with pytest.raises(LockBusy), shared_lock(path, 0.05):
        pass
    free.set()
    with shared_lock(path, 10):
        pass


@POSIX
@pytest.mark.parametrize("trap", ["symlink", "hard link", "pipe", "folder"])
def test_what_lies_there_instead_of_a_lock_is_left_alone(public: Path, tmp_path: Path, trap: str) -> None:
    mine, path = tmp_path / "mine", public / "lock"
    mine.write_text("kept")
    mine.chmod(0o600)
    if trap == "symlink":
        path.symlink_to(mine)
    elif trap == "hard link":
        path.hardlink_to(mine)
    elif trap == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(OSError, match="lock"), file_lock(path, 0):
        pass
    assert mine.read_text() == "kept"
    assert stat.S_IMODE(mine.stat().st_mode) == 0o600


@POSIX
def test_in_a_folder_of_everybody_others_can_lock_it_whatever_the_umask(public: Path, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        for folder in (public, tmp_path):
            with file_lock(folder / "lock", 0):
                pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((public / "lock").stat().st_mode) == 0o666
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600


@contextmanager
def as_nobody() -> Iterator[None]:
    own = os.geteuid()
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_waits_and_is_told_who_holds_it() -> None:
    path = Path(f"/tmp/warpwright-test-{os.getpid()}.lock")
    try:
        with file_lock(path, 0), as_nobody(), pytest.raises(LockBusy) as busy, file_lock(path, 0):
            pass
        assert busy.value.holder == os.getpid()
        with as_nobody(), file_lock(path, 0):
            pass
    finally:
        path.unlink()
