"""Processes behind lines: deadlines, whole groups, threads that end; locks between processes."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from warpwright.isolation.environment import remote_environment, worker_environment
from warpwright.isolation.file_lock import LockBusy, file_lock
from warpwright.isolation.line_process import Command, LineProcess
from warpwright.isolation.process import Ended, WorkerEnded

ECHO = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()"


def python(script: str, *arguments: str) -> Command:
    return Command((sys.executable, "-c", script, *arguments), worker_environment())


def ask(process: LineProcess, line: bytes, time_limit_s: float = 10) -> bytes:
    def send(stream: object) -> None:
        stream.write(line)  # type: ignore[attr-defined]

    return process.exchange(send, lambda stream: stream.readline(), time_limit_s)


def test_lines_go_to_and_fro_until_the_input_ends() -> None:
    process = LineProcess(python(ECHO))
    assert ask(process, b"one\n") == b"one\n"
    assert ask(process, b"two\n") == b"two\n"
    assert process.finish() == 0
    assert not process.running


def test_at_the_deadline_the_process_is_killed() -> None:
    process = LineProcess(python("import time; time.sleep(100)"))
    with pytest.raises(WorkerEnded) as ended:
        process.exchange(lambda _: None, lambda stream: (stream.readline(), stream.read(1))[0] or _none(), 0.3)
    assert ended.value.how is Ended.TIMEOUT
    assert not process.running


def _none() -> bytes:
    raise OSError("closed")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_a_process_started_dies_with_it() -> None:
    script = "import subprocess,sys\np=subprocess.Popen(['sleep','100'])\nprint(p.pid,flush=True)\nsys.stdin.read()"
    process = LineProcess(python(script))
    child = int(ask(process, b""))
    process.kill()
    deadline = time.monotonic() + 5
    while _alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="the parent's death signal")
def test_a_process_outlives_the_thread_that_asked_for_it() -> None:
    script = "import ctypes,signal\nctypes.CDLL(None).prctl(1, signal.SIGKILL)\n" + ECHO
    started: list[LineProcess] = []
    thread = threading.Thread(target=lambda: started.append(LineProcess(python(script))))
    thread.start()
    assert ask(_first(started), b"one\n") == b"one\n"
    thread.join()
    time.sleep(0.2)
    assert ask(started[0], b"two\n") == b"two\n"
    started[0].kill()


def _first(started: list[LineProcess]) -> LineProcess:
    while not started:
        time.sleep(0.01)
    return started[0]


def test_the_last_words_are_kept() -> None:
    process = LineProcess(python("import sys; sys.exit('cannot go on')"))
    with pytest.raises(WorkerEnded) as ended:
        process.exchange(lambda _: None, lambda stream: stream.readline() or _none(), 10)
    assert (ended.value.how, ended.value.exit_code, ended.value.stderr) == (Ended.CRASHED, 1, "cannot go on\n")


def test_ssh_finds_its_keys_and_nothing_else_gets_out() -> None:
    inherited = {
        "HOME": "/home/x",
        "SSH_AUTH_SOCK": "/run/s",
        "ANTHROPIC_API_KEY": "k",
        "LD_PRELOAD": "x",
        "PATH": "/bin",
    }
    kept = remote_environment(inherited)
    assert {"HOME", "SSH_AUTH_SOCK", "PATH"} <= set(kept)
    assert not {"ANTHROPIC_API_KEY", "LD_PRELOAD"} & set(kept)


def test_a_lock_is_held_by_one_and_names_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with file_lock(path, 0), pytest.raises(LockBusy) as busy, file_lock(path, 0.05):
        pass
    assert busy.value.holder == os.getpid()
    with file_lock(path, 0):
        pass
