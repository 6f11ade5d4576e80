import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from warpwright.errors import InfrastructureError
from warpwright.isolation import Ended, WorkerEnded, WorkerProcess
from warpwright.isolation.environment import worker_environment

MODULE = "worker_for_tests"


@pytest.fixture(autouse=True)
def _module_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    with WorkerProcess(MODULE) as process:
        yield process


def test_a_worker_answers_and_stays(worker: WorkerProcess) -> None:
    replies = [worker.call({"do": "echo"}, [b"abc"], time_limit_s=30) for _ in range(2)]
    assert [bytes(reply.buffers[0]) for reply in replies] == [b"cba", b"cba"]
    assert worker.starts == 1


def test_buffers_that_a_worker_ignores_do_not_shift_the_next_message(worker: WorkerProcess) -> None:
    worker.call({"do": "ignore buffers"}, [b"a" * 100_000, b"b"], time_limit_s=30)
    assert bytes(worker.call({"do": "echo"}, [b"xy"], time_limit_s=30).buffers[0]) == b"yx"


def test_what_a_library_prints_stays_out_of_the_messages(worker: WorkerProcess) -> None:
    assert worker.call({"do": "print", "count": 1_000_000}, time_limit_s=30).body == {}


def test_a_worker_over_its_deadline_is_killed_and_replaced(worker: WorkerProcess) -> None:
    worker.start()
    first = worker.greeting["pid"]
    started = time.monotonic()
    with pytest.raises(WorkerEnded) as ended:
        worker.call({"do": "sleep"}, time_limit_s=0.3)
    assert time.monotonic() - started < 10
    assert ended.value.how is Ended.TIMEOUT
    assert worker.call({"do": "ignore buffers"}, time_limit_s=30).body["pid"] != first


@pytest.mark.parametrize("act", ["exit", "raise"])
def test_a_worker_that_ends_on_its_own_is_replaced(worker: WorkerProcess, act: str) -> None:
    with pytest.raises(WorkerEnded) as ended:
        worker.call({"do": act}, time_limit_s=30)
    assert ended.value.how is Ended.CRASHED
    assert ended.value.exit_code == {"exit": 9, "raise": 1}[act]
    assert ("MemoryError: full" in ended.value.stderr) == (act == "raise")
    assert worker.call({"do": "echo"}, [b"ok"], time_limit_s=30).body == {"do": "echo"}


def test_a_worker_that_writes_something_else_is_ended(worker: WorkerProcess) -> None:
    with pytest.raises(WorkerEnded):
        worker.call({"do": "scribble"}, time_limit_s=30)
    assert worker.call({"do": "ignore buffers"}, time_limit_s=30).body["pid"]


def test_a_large_request_to_a_worker_that_dies_does_not_hang(worker: WorkerProcess) -> None:
    with pytest.raises(WorkerEnded):
        worker.call({"do": "exit"}, [bytes(8_000_000)], time_limit_s=30)


def test_a_worker_that_cannot_start_is_an_infrastructure_error() -> None:
    with WorkerProcess(MODULE, ["fail"]) as broken, pytest.raises(InfrastructureError, match="no library here"):
        broken.start()


def test_a_worker_inherits_no_secret(worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HTTPS_PROXY", "LD_PRELOAD_X", "CUDA_INJECTION64_PATH"):
        monkeypatch.setenv(name, "secret")
    worker.start()
    assert not {"OPENAI_API_KEY", "HTTPS_PROXY", "LD_PRELOAD_X", "CUDA_INJECTION64_PATH"} & set(
        worker.greeting["environment"]
    )


def test_the_environment_is_built_from_a_list() -> None:
    given = {
        "PATH": "/bin",
        "Path_": "x",
        "AWS_SECRET": "s",
        "PYTHONPYCACHEPREFIX": "/kept",
        "SystemRoot": "C:\\Windows",
    }
    built = worker_environment(given)
    assert built["PATH"] == "/bin"
    assert built["PYTHONPYCACHEPREFIX"] == "/kept"  # a worker's bytecode lies where this process has its own
    assert built["SystemRoot"] == "C:\\Windows"
    assert not {"AWS_SECRET", "Path_"} & set(built)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_does_not_outlive_its_parent() -> None:
    script = (
        "from warpwright.isolation import WorkerProcess; import os, threading\n"
        f"w = WorkerProcess({MODULE!r}); w.start(); print(w.greeting['pid'], flush=True)\n"
        "threading.Timer(0.5, os._exit, (0,)).start(); w.call({'do': 'sleep'}, time_limit_s=50)"
    )
    parent = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    child = int(parent.stdout)
    deadline = time.monotonic() + 10
    while _alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(child)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux only")
def test_a_confined_worker_reads_only_what_it_was_given(worker: WorkerProcess, tmp_path: Path) -> None:
    (tmp_path / "allowed").mkdir()
    (tmp_path / "allowed/a.txt").write_text("open", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("closed", encoding="utf-8")
    confined = worker.call({"do": "confine", "folder": str(tmp_path / "allowed")}, time_limit_s=30).body["confined"]
    if not confined:
        pytest.skip("this kernel has no Landlock")
    paths = ("allowed/a.txt", "secret.txt", "allowed/../secret.txt")
    texts = [worker.call({"do": "read", "path": str(tmp_path / p)}, time_limit_s=30).body["text"] for p in paths]
    assert texts == ["open", None, None]


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux only")
def test_a_confined_worker_reaches_no_port(worker: WorkerProcess, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reached = [worker.call({"do": "connect", "port": port}, time_limit_s=30).body["connected"]]
        confined = worker.call({"do": "confine", "folder": str(tmp_path)}, time_limit_s=30).body["confined"]
        reached.append(worker.call({"do": "connect", "port": port}, time_limit_s=30).body["connected"])
    if not confined or reached == [True, True]:
        pytest.skip("this kernel's Landlock is absent or older than version 4")
    assert reached == [True, False]


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
