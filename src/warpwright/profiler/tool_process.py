"""Runs a tool that watches a GPU program: alone on the GPU, within a wall limit, its whole process group ended with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO

from warpwright.isolation.file_lock import LockBusy, file_lock
from warpwright.isolation.job_object import contain
from warpwright.isolation.process import creation_flags

_BUSY_PATIENCE_S = 300.0
MESSAGE_BYTES = 1_000_000
"""What a tool may say on one stream; what comes after is read and dropped, and the run says so."""
_BLOCK = 64 * 1024
_LAST_WORDS_S = 5.0
"""For what a killed tool had said; a process that left its group may hold the stream for ever."""


@dataclass(frozen=True, slots=True)
class ToolCommand:
    """What to start. environment: complete. lock: file to hold meanwhile, None = none. time_limit_s: wall clock, without
    the wait for the lock. most_bytes: kept of each stream."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    time_limit_s: float
    lock: Path | None = None
    most_bytes: int = MESSAGE_BYTES


@dataclass(frozen=True, slots=True)
class ToolRun:
    """exit_code: None if it did not end within its limit and was killed; negative: by that signal.

    truncated: `output` is only the beginning of what was printed.
    """

    exit_code: int | None
    output: str
    errors: str
    seconds: float
    truncated: bool = False

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
        return ToolRun(exit_code, output.text, errors.text, time.monotonic() - started, output.truncated)


@dataclass(slots=True)
class _Heard:
    """The beginning of a stream."""

    most_bytes: int
    content: bytearray = field(default_factory=bytearray)
    truncated: bool = False

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")

    def listen(self, stream: IO[bytes]) -> None:
        """To its end, so that the tool never waits for a reader."""
        with stream:
            while block := os.read(stream.fileno(), _BLOCK):
                room = self.most_bytes - len(self.content)
                self.content += block[:room]
                self.truncated = self.truncated or len(block) > room


def _run(command: ToolCommand) -> tuple[_Heard, _Heard, int | None]:
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
    output, errors = _Heard(command.most_bytes), _Heard(command.most_bytes)
    listeners = [_listening(output, process.stdout), _listening(errors, process.stderr)]
    exit_code: int | None = None
    try:
        exit_code = _ended(process, listeners, time.monotonic() + command.time_limit_s)
    finally:
        if exit_code is None:  # its limit, or Ctrl-C
            _kill(process)
            process.wait()
        if job is not None:
            job.close()
        _join(listeners, time.monotonic() + _LAST_WORDS_S)
    return output, errors, exit_code


def _listening(heard: _Heard, stream: IO[bytes] | None) -> Thread:
    assert stream is not None
    thread = Thread(target=heard.listen, args=(stream,), name="tool-listener", daemon=True)
    thread.start()
    return thread


def _ended(process: "subprocess.Popen[bytes]", listeners: Sequence[Thread], deadline: float) -> int | None:
    """The exit code once it has ended and all that it started is silent; None at the deadline."""
    _join(listeners, deadline)
    if any(listener.is_alive() for listener in listeners):
        return None
    try:
        return process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None


def _join(listeners: Sequence[Thread], deadline: float) -> None:
    for listener in listeners:
        listener.join(max(0.0, deadline - time.monotonic()))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


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
