"""How much memory this machine, or the container around us, has."""

import ctypes
import os
import sys
from pathlib import Path

_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def physical_memory_bytes() -> int | None:
    """Memory that all processes here share, no more than a Linux control group grants; None where it is unknown."""
    total = _total_bytes()
    limit = _cgroup_limit_bytes()
    known = [size for size in (total, limit) if size is not None]
    return min(known, default=None)


if sys.platform == "win32":

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX of the Windows API."""

        _fields_ = (
            ("length", ctypes.c_ulong),
            ("memory_load", ctypes.c_ulong),
            ("total_physical", ctypes.c_ulonglong),
            ("available_physical", ctypes.c_ulonglong),
            ("total_page_file", ctypes.c_ulonglong),
            ("available_page_file", ctypes.c_ulonglong),
            ("total_virtual", ctypes.c_ulonglong),
            ("available_virtual", ctypes.c_ulonglong),
            ("available_extended_virtual", ctypes.c_ulonglong),
        )

    def _total_bytes() -> int | None:
        status = _MemoryStatus()
        status.length = ctypes.sizeof(status)
        if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
            return None
        return int(status.total_physical)

else:

    def _total_bytes() -> int | None:
        try:
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (ValueError, OSError):  # a system that does not name them
            return None


def _cgroup_limit_bytes() -> int | None:
    try:
        text = _CGROUP_LIMIT.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
