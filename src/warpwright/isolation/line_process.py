"""A process that is spoken to over its standard streams with a deadline for every exchange. Its whole group dies with it."""

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from warpwright.isolation.framing import FramingError, Misfit
from warpwright.isolation.job_object import Job, contain
from warpwright.isolation.process import Ended, WorkerEnded, creation_flags

_STDERR_LINES = 60
_LAST_WORDS_S = 3.0
_DRAINED_S = 1.0
_PIPE_BYTES = 1024 * 1024 if sys.platform == "linux" else -1

# Die-with-parent is bound to the *thread* that started the process (prctl(2), PR_SET_PDEATHSIG), so that thread must live
# as long as this process: not a worker thread of some pool.
_STARTER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="process-starter")


@dataclass(frozen=True, slots=True)
class Command:
    """What to start. environment: complete; nothing is inherited."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path | None = None


class LineProcess:
    """One running process. Not thread-safe: one exchange at a time; `kill` may come from any thread.

    Raises: OSError if it cannot be started.
    """

    def __init__(self, command: Command) -> None:
        self._process: subprocess.Popen[bytes] = _STARTER.submit(_spawn, command).result()
        self._job: Job | None = contain(self._process)
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._drain = threading.Thread(target=_drain, args=(self._process.stderr, self._stderr), daemon=True)
        self._drain.start()
        self._ending = threading.Lock()

    @property
    def pid(self) -> int:
        """Process id, also of one that has ended."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """False once the process has ended."""
        return self._process.poll() is None

    @property
    def stderr(self) -> str:
        """The last lines that the process wrote there."""
        return "".join(self._stderr)

    def exchange[T](
        self, send: Callable[[IO[bytes]], None], receive: Callable[[IO[bytes]], T], time_limit_s: float
    ) -> T:
        """Send a request and receive its answer.

        Raises: WorkerEnded if the process is killed at the deadline, ends, or says something that `receive` refuses by a
        FramingError (the cause); the process is then gone.
        """
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self._kill_group()

        deadline = threading.Timer(time_limit_s, expire)
        deadline.daemon = True
        deadline.start()
        completed = False
        try:
            _send(send, process.stdin)
            answer = receive(process.stdout)
            completed = True
            return answer
        except (FramingError, OSError) as error:
            raise self._ended(timed_out=expired.is_set(), astray=isinstance(error, Misfit)) from error
        finally:
            deadline.cancel()
            if not completed or expired.is_set():  # also after Ctrl-C: the pipes are out of step
                self.kill()

    def finish(self, patience_s: float = _LAST_WORDS_S) -> int | None:
        """Close its input and wait for its own end; kill it if that takes longer. Returns the exit code, None if killed."""
        _close(self._process.stdin)
        try:
            exit_code: int | None = self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            exit_code = None
        self.kill()
        return exit_code

    def kill(self) -> None:
        """End the process and all that it started, and reap it. Doing it twice is harmless."""
        with self._ending:
            self._kill_group()
            self._process.wait()
            self._drain.join(_DRAINED_S)
            if self._job is not None:
                self._job.close()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                _close(stream)

    def _kill_group(self) -> None:
        if self._process.returncode is not None:
            return  # reaped: the number may be somebody else's by now
        if sys.platform == "win32":
            self._process.kill()
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def _ended(self, *, timed_out: bool, astray: bool) -> WorkerEnded:
        """Of a process whose pipe has closed: it is about to end. One that talks astray would go on: it is ended."""
        try:
            exit_code: int | None = self._process.wait(0 if timed_out or astray else _LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            exit_code = None
        self.kill()
        return WorkerEnded(Ended.TIMEOUT if timed_out else Ended.CRASHED, exit_code, self.stderr)


def _spawn(command: Command) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command.arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pipesize=_PIPE_BYTES,
        cwd=command.directory,
        env=dict(command.environment),
        process_group=None if sys.platform == "win32" else 0,
        creationflags=creation_flags(),
    )


def _send(send: Callable[[IO[bytes]], None], stream: IO[bytes]) -> None:
    """A process that ends while it is spoken to may have left its last words: they are still read."""
    try:
        send(stream)
        stream.flush()
    except BrokenPipeError:
        return


def _drain(stream: IO[bytes] | None, lines: deque[str]) -> None:
    assert stream is not None
    while line := stream.readline(4096):
        lines.append(line.decode("utf-8", "replace"))


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        try:
            stream.close()
        except BrokenPipeError:
            return  # unsent bytes for a process that is gone
