"""Windows: a job that ends its process with its parent. Elsewhere the parent's death signal and the process group do it.

Source: Microsoft, Win32 Job Objects (`CreateJobObject`, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE).
"""

import subprocess
import sys
from typing import Protocol


class Job(Protocol):
    """Holds a process; ends it when closed, which the system does when this process dies."""

    def close(self) -> None:
        """End what it holds."""
        ...


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9
    _KILL_ON_CLOSE = 0x2000
    _DIE_ON_UNHANDLED_EXCEPTION = 0x400
    _SET_QUOTA_AND_TERMINATE = 0x0101

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", wintypes.LARGE_INTEGER),
            ("PerJobUserTimeLimit", wintypes.LARGE_INTEGER),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class _ExtendedLimits(ctypes.Structure):
        _fields_ = (
            ("BasicLimitInformation", _BasicLimits),
            ("IoInfo", ctypes.c_ulonglong * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    class _WindowsJob:
        def __init__(self, kernel: ctypes.WinDLL, handle: int) -> None:
            self._kernel = kernel
            self._handle: int | None = handle

        def close(self) -> None:
            if self._handle is not None:
                self._kernel.CloseHandle(wintypes.HANDLE(self._handle))
                self._handle = None

    def contain(process: "subprocess.Popen[bytes]") -> Job | None:
        """A job that ends `process` when it is closed. Raises: OSError if the system refuses."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = wintypes.HANDLE
        kernel.OpenProcess.restype = wintypes.HANDLE
        handle = kernel.CreateJobObjectW(None, None)
        held = wintypes.HANDLE(kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, 0, process.pid))
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE | _DIE_ON_UNHANDLED_EXCEPTION
        size = ctypes.sizeof(limits)
        contained = (
            handle
            and held
            and kernel.SetInformationJobObject(wintypes.HANDLE(handle), _EXTENDED_LIMITS, ctypes.byref(limits), size)
            and kernel.AssignProcessToJobObject(wintypes.HANDLE(handle), held)
        )
        problem = ctypes.get_last_error()
        kernel.CloseHandle(held)
        if not contained:
            process.kill()
            raise ctypes.WinError(problem)
        return _WindowsJob(kernel, handle)

else:

    def contain(process: "subprocess.Popen[bytes]") -> Job | None:
        """None: no job is needed here."""
        del process
        return None
