"""Runs a tool that watches a GPU program: alone on the GPU, within a wall limit, its whole process group ended with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from warpwright.isolation.file_lock import LockBusy, file_lock
from warpwright.isolation.job_object import contain
from warpwright.isolation.process import creation_flags

_BUSY_PATIENCE_S = 300.0
_MOST_CHARACTERS = 1_000_000
"""Of each stream; what comes after is dropped."""


@dataclass(frozen=True, slots=True)
class ToolCommand:
    """What to start. environment: complete. lock: file to hold meanwhile, None = none. time_limit_s: wall clock, without
    the wait for the lock."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    time_limit_s: float
    lock: Path | None = None


@dataclass(frozen=True, slots=True)
class ToolRun:
    """exit_code: None if it did not end within its limit and was killed; negative: by that signal."""

    exit_code: int | None
    output: str
    errors: str
    seconds: float

    @property
    def text(self) -> str:
        """Everything that it said."""
        return f"{self.output}\n{self.errors}".strip()


class GpuBusy(Exception):
    """Another process of this machine has used the GPU all the time."""


def run_tool(command: ToolCommand) -> ToolRun:
    """Run it to its end or its limit. Raises: GpuBusy; OSError if it cannot be started."""
    with _alone(command.lock):
        started = time.monotonic()
        output, errors, exit_code = _run(command)
        return ToolRun(exit_code, output, errors, time.monotonic() - started)


def _run(command: ToolCommand) -> tuple[str, str, int | None]:
    process = subprocess.Popen(
        command.arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=command.directory,
        env=dict(command.environment),
        process_group=None if sys.platform == "win32" else 0,
        creationflags=creation_flags(),
    )
    job = contain(process)
    exit_code: int | None = None
    try:
        output, errors = process.communicate(timeout=command.time_limit_s)
        exit_code = process.returncode
    except subprocess.TimeoutExpired:
        _kill(process)
        output, errors = process.communicate()
    finally:
        if process.returncode is None:  # Ctrl-C
            _kill(process)
            process.communicate()
        if job is not None:
            job.close()
    return _text(output), _text(errors), exit_code


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _text(data: bytes) -> str:
    return data[:_MOST_CHARACTERS].decode("utf-8", "replace")


@contextmanager
def _alone(lock: Path | None) -> Iterator[None]:
    if lock is None:
        yield
        return
    try:
        with file_lock(lock, _BUSY_PATIENCE_S):
            yield
    except LockBusy as busy:
        who = "another process" if busy.holder is None else f"process {busy.holder}"
        raise GpuBusy(f"{who} has used the GPU for {_BUSY_PATIENCE_S:g} s") from busy
