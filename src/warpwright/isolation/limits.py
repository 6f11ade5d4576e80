"""What a worker may use and see, set by the worker on itself before it touches anything untrusted."""

import ctypes
import errno
import os
import shutil
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_ADD_RULE = 445
_LANDLOCK_RESTRICT_SELF = 446
_LANDLOCK_CREATE_RULESET_VERSION = 1
_LANDLOCK_RULE_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_FILE_RIGHTS_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
"""File rights that a kernel of this Landlock version can withhold; 16 from version 5 on."""

_TCP_RIGHTS = 0b11
_TCP_FROM_VERSION = 4
_READ_FILE = 1 << 2
_READ_DIRECTORY = 1 << 3


def limit_resources(*, address_space_bytes: int | None = None, file_bytes: int | None = None) -> None:
    """Lower this process's limits; no core dumps. Windows has none of them: there the deadline alone holds."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    wanted = ((resource.RLIMIT_AS, address_space_bytes), (resource.RLIMIT_FSIZE, file_bytes))
    for limit, value in wanted:
        if value is not None:
            _, hard = resource.getrlimit(limit)
            ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (ceiling, ceiling))


def limiting_prefix(file_bytes: int) -> tuple[str, ...]:
    """What stands before a command that is no Python of ours: no core dumps, small files, no new privileges.

    Empty where the system has no such commands (they come with util-linux).
    """
    prefix: tuple[str, ...] = ()
    if shutil.which("prlimit"):
        prefix += ("prlimit", "--core=0", f"--fsize={file_bytes}", "--")
    if shutil.which("setpriv"):
        prefix += ("setpriv", "--no-new-privs", "--")
    return prefix


def mapped_bytes() -> int:
    """Address space that this process has taken; 0 where the system does not tell (then it has no such limit either)."""
    statistics = Path("/proc/self/statm")
    if not statistics.is_file():
        return 0
    return int(statistics.read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")


def landlock_version() -> int:
    """Version of the kernel's Landlock; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)))


def confine_reading(folders: Sequence[Path]) -> bool:
    """From now on this process can open no file for reading outside `folders`, none at all for writing, and no TCP port.

    Returns True if the kernel enforces it (Linux with Landlock, 5.13 or newer), False where it cannot. Irreversible.
    Source: Linux kernel documentation, userspace-api/landlock.
    """
    version = landlock_version()
    if version < 1:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    attribute = struct.pack("<Q", (1 << _FILE_RIGHTS_BITS.get(version, 16)) - 1)
    if version >= _TCP_FROM_VERSION:
        attribute += struct.pack("<Q", _TCP_RIGHTS)
    ruleset = libc.syscall(_LANDLOCK_CREATE_RULESET, attribute, len(attribute), 0)
    if ruleset < 0:
        return False
    try:
        for folder in folders:
            _allow_reading(libc, ruleset, folder)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return int(libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0)) == 0
    finally:
        os.close(ruleset)


def _allow_reading(libc: ctypes.CDLL, ruleset: int, folder: Path) -> None:
    try:
        opened = os.open(folder, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rights = _READ_FILE | _READ_DIRECTORY if folder.is_dir() else _READ_FILE
        rule = struct.pack("<Qi", rights, opened)
        if libc.syscall(_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, rule, 0) < 0:
            code = ctypes.get_errno()
            raise OSError(code, f"landlock_add_rule: {errno.errorcode.get(code, code)}", str(folder))
    finally:
        os.close(opened)
