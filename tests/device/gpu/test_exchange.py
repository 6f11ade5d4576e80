"""The exchange folder from Python's side: what comes and goes through it, and that nothing of it stays."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from harness.requests import OWN_KERNELS, Axpb, expected, image
from warpwright.device.gpu.process.client import HarnessClient
from warpwright.device.gpu.process.connection import HarnessOptions, connect, local_connection
from warpwright.device.gpu.wire import exchange as exchange_module
from warpwright.device.gpu.wire.attachments import Attachment
from warpwright.device.gpu.wire.exchange import LARGEST_INLINE_BYTES, MEMORY, Exchange
from warpwright.device.gpu.wire.messages import Answer
from warpwright.device.registry import DeviceOptions
from warpwright.isolation import owned_folder
from warpwright.isolation.bubblewrap import unavailable
from warpwright.isolation.framing import Misfit
from warpwright.isolation.process import WorkerEnded
from warpwright.workload.generator import generate
from warpwright.workload.recipe import Recipe

COUNT = LARGEST_INLINE_BYTES
"""Elements of four bytes."""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not MEMORY.is_dir(), reason="there is an exchange folder on Linux only"
)
Standin = Callable[..., DeviceOptions]


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Files in memory, but not where other processes put theirs."""
    with tempfile.TemporaryDirectory(prefix="warpwright-test-", dir=MEMORY) as folder:
        monkeypatch.setattr(exchange_module, "MEMORY", Path(folder))
        yield Path(folder)


@pytest.fixture
def made() -> Iterator[Exchange]:
    exchange = Exchange.make()
    assert exchange is not None
    yield exchange
    exchange.remove()


@pytest.fixture
def start(standin: Standin, tmp_path: Path) -> Iterator[Callable[..., HarnessClient]]:
    """start(sandboxed=...): a harness with `axpb` in it."""
    started: list[HarnessClient] = []

    def begin(*, sandboxed: bool = False, log: Path | None = None) -> HarnessClient:
        options = standin()
        harness = HarnessOptions(options.harness, options.driver, sandboxed, log)
        client, _ = connect(local_connection("gpu:0", 0, tmp_path, harness))
        started.append(client)
        client.request("open", time_limit_s=10)
        for name, symbols in (("warpwright", OWN_KERNELS), ("candidate", ("axpb",))):
            fields = {"name": name, "symbols": list(symbols), "globals": []}
            client.request("load", fields, (image(*symbols),), time_limit_s=10)
        return client

    yield begin
    for client in started:
        client.kill()


def ran(client: HarnessClient) -> Answer:
    x = expected(COUNT)
    request = Axpb(COUNT, x={"recipe": None, "pool": [0]}).run(values={"x": 0, "b": format(3, "032x")})
    answer = client.request("run", request, (x,), time_limit_s=20)
    assert isinstance(answer, Answer)
    return answer


@pytest.mark.parametrize(
    "sandboxed",
    [False, pytest.param(True, marks=pytest.mark.skipif(unavailable() is not None, reason="no bubblewrap here"))],
)
def test_large_arrays_cross_in_files_and_stay_after_the_folder(
    start: Callable[..., HarnessClient], memory: Path, sandboxed: bool
) -> None:
    client = start(sandboxed=sandboxed)
    (folder,) = memory.iterdir()
    answer = ran(client)
    assert answer.body["npy_files"] == ["reply-0.npy"]
    assert list(folder.iterdir()) == []
    assert folder.stat().st_mode & 0o777 == 0o700
    client.close()
    assert list(memory.iterdir()) == []
    (y,) = answer.arrays
    b = generate(Recipe("uniform", "float32", 1.0, 2.0), 3, COUNT)
    np.testing.assert_array_equal(y, np.float32(2.5) * expected(COUNT) + b)
    y[0] = 7  # it belongs to the receiver
    assert y[0] == 7


@pytest.mark.parametrize("end", ["close", "kill", "dies", "timeout"])
def test_no_folder_stays_however_the_process_ends(
    start: Callable[..., HarnessClient], memory: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = start()
    assert len(list(memory.iterdir())) == 1
    if end == "dies":
        os.kill(client.pid, signal.SIGKILL)
        with pytest.raises(WorkerEnded):
            ran(client)
    elif end == "timeout":
        os.kill(client.pid, signal.SIGSTOP)
        monkeypatch.setattr("warpwright.device.gpu.process.client.GRACE_S", 0.2)
        with pytest.raises(WorkerEnded):
            client.request("heartbeat", time_limit_s=0)
    else:
        getattr(client, end)()
    assert list(memory.iterdir()) == []


def test_what_a_killed_session_left_is_removed_by_the_next(made: Exchange) -> None:
    script = (
        "from warpwright.device.gpu.wire.exchange import Exchange\n"
        "exchange = Exchange.make()\n"
        "(exchange.folder / 'reply-0.npy').write_bytes(b'x')\n"
        "print(exchange.folder, flush=True)\n"
        "input()\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert owner.stdin is not None
    folder = Path(owner.stdout.readline().strip())
    owned_folder._remove_orphans.__wrapped__(MEMORY, exchange_module._KIND)
    assert folder.is_dir()  # its owner lives
    owner.kill()
    owner.wait()
    owned_folder._remove_orphans.__wrapped__(MEMORY, exchange_module._KIND)
    owner.stdout.close()
    owner.stdin.close()
    assert not folder.exists()
    assert made.folder.is_dir()


def test_an_owner_that_forgets_its_folder_leaves_none() -> None:
    script = "from warpwright.device.gpu.wire.exchange import Exchange; e = Exchange.make(); print(e.folder)"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.startswith(str(MEMORY))
    assert not Path(told.stdout.strip()).exists()


def test_an_array_comes_back_as_it_was_put(made: Exchange) -> None:
    array = np.random.default_rng(1).standard_normal((300, 400)).astype(np.float32)
    attachment = Attachment(array)
    name = made.put(attachment)
    assert name is not None
    np.testing.assert_array_equal(np.load(made.folder / name), array)
    taken = made.take(name, attachment.size_bytes)
    assert list(made.folder.iterdir()) == []
    np.testing.assert_array_equal(taken, array)


def test_what_is_small_or_has_no_room_follows_its_line(made: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    assert made.put(Attachment(np.zeros(LARGEST_INLINE_BYTES // 2, np.uint8))) is None

    def full(self: Attachment, stream: IO[bytes]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Attachment, "write", full)
    assert made.put(Attachment(np.zeros(COUNT, np.float32))) is None
    assert list(made.folder.iterdir()) == []


def test_only_plain_files_of_the_folder_are_taken(made: Exchange, tmp_path: Path) -> None:
    outside = tmp_path / "outside.npy"
    np.save(outside, np.zeros(100))
    size = outside.stat().st_size
    shutil.copy(outside, made.folder / "here.npy")
    (made.folder / "link.npy").symlink_to(outside)
    os.mkfifo(made.folder / "pipe.npy")
    (made.folder / "text.npy").write_bytes(b"x" * size)
    for name, asked, why in (
        (str(outside), size, "allowed: letters"),
        ("../outside.npy", size, "allowed: letters"),
        (".", size, "allowed: letters"),
        ("absent.npy", size, "cannot be read"),
        ("link.npy", size, "cannot be read"),
        ("pipe.npy", size, "no file of the"),
        ("here.npy", size + 1, "no file of the"),
        ("text.npy", size, "no .npy stream"),
    ):
        with pytest.raises(Misfit, match=why):
            made.take(name, asked)
    assert outside.exists()


def test_without_memory_for_files_everything_crosses_the_pipes(
    start: Callable[..., HarnessClient], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(exchange_module, "MEMORY", tmp_path / "absent")
    answer = ran(start())
    assert "npy_files" not in answer.body
    assert answer.arrays[0].shape == (COUNT,)


def test_a_recorded_conversation_replays_with_its_attachments(
    start: Callable[..., HarnessClient], standin: Standin, tmp_path: Path
) -> None:
    client = start(log=tmp_path / "log")
    y = ran(client).arrays[0].copy()
    client.close()
    (job,) = (tmp_path / "log").glob("*.job")
    replies = job.with_suffix(".replies.jsonl").read_text().splitlines()
    assert [f'"id": {number}' in line for number, line in enumerate(replies, start=1)] == [True] * 5
    options = standin()
    once = [str(options.harness), "run-once", str(job), "--driver", str(options.driver)]
    serve = [str(options.harness), "serve", "--driver", str(options.driver)]
    for command in (once, serve):
        with job.open("rb") as requests:
            replayed = subprocess.run(command, stdin=requests, capture_output=True, check=True, timeout=60)
        assert replayed.stdout.endswith(y.tobytes())
