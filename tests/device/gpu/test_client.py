"""The client against harnesses that answer wrongly, die or hang, and against the real one."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from warpwright.device.gpu.process import client as client_module
from warpwright.device.gpu.process import connection as connection_module
from warpwright.device.gpu.process.client import HarnessClient, HarnessError
from warpwright.device.gpu.process.connection import HarnessOptions, connect, local_connection
from warpwright.device.gpu.wire.attachments import Attachment
from warpwright.device.registry import DeviceOptions, open_device
from warpwright.errors import DeviceUnavailable, InfrastructureError, UsageError, WarpwrightError

FAKE = Path(__file__).parent / "fake_harness.py"


def fake(mode: str) -> str:
    return f"command:{shlex.join([sys.executable, str(FAKE), mode])}"


def test_a_device_behind_a_command_opens() -> None:
    device = open_device(fake("right"))
    assert device.description == f"Fake GPU ({fake('right')}, driver for CUDA 13.0, harness 0.0)"
    device.close()


WRONG: dict[str, tuple[type[WarpwrightError], str]] = {
    "nonce": (InfrastructureError, "the harness answered `hello` with another nonce than it was given"),
    "id": (InfrastructureError, "the harness answered `hello` with id 2; asked was 1"),
    "field": (InfrastructureError, "something else than docs/harness.md says: uuid: Input should be a valid string"),
    "type": (InfrastructureError, "something else than docs/harness.md says: driver_version: Input should be a valid"),
    "no object": (InfrastructureError, "the harness answered `hello` with something else than a reply: b'[1, 2]"),
    "no json": (InfrastructureError, "something else than a reply: no JSON: b'hello"),
    "attachment": (InfrastructureError, "attachment is no .npy stream"),
    "fault": (InfrastructureError, "the harness answered `hello` with a fault of a candidate: a kernel trapped"),
    "error": (DeviceUnavailable, "cuInit failed"),
    "dies": (DeviceUnavailable, "did not answer (worker crashed, exit code 3). It said:\ncannot go on"),
    "no driver": (DeviceUnavailable, "the NVIDIA driver cannot be used there. It said:\nlibcuda.so.1 is not there"),
    "old driver": (DeviceUnavailable, "the driver is too old: it serves CUDA 11.7, needed is 11.8 or newer"),
}


@pytest.mark.parametrize("mode", WRONG)
def test_a_wrong_answer_is_named(mode: str) -> None:
    kind, message = WRONG[mode]
    with pytest.raises(kind) as refused:
        open_device(fake(mode))
    assert message in str(refused.value)


def test_a_harness_that_says_nothing_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "GRACE_S", 0.2)
    monkeypatch.setattr(connection_module, "_HELLO_LIMIT_S", 0.2)
    with pytest.raises(DeviceUnavailable, match="did not answer"):
        open_device(fake("silent"))


@pytest.mark.parametrize("text", ["", "  ", "'open"])
def test_a_command_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--device command:"):
        open_device(f"command:{text}")


def test_a_command_that_cannot_be_started_is_refused() -> None:
    with pytest.raises(DeviceUnavailable) as refused:
        open_device("command:/not/there --fast")
    assert "/not/there cannot be started" in str(refused.value)
    assert "`/not/there --fast --version` must print its version" in str(refused.value)


def opened(options: DeviceOptions, folder: Path, log: Path | None = None) -> HarnessClient:
    harness = HarnessOptions(options.harness, options.driver, sandboxed=False, log_directory=log)
    client, _ = connect(local_connection("gpu:0", 0, folder, harness))
    return client


def test_what_the_harness_refuses_is_said_in_its_words(standin: Callable[..., DeviceOptions], tmp_path: Path) -> None:
    client = opened(standin(), tmp_path)
    with pytest.raises(HarnessError) as refused:
        client.request("dance", time_limit_s=1)
    assert refused.value.error.kind == "request"
    assert "dance" in str(refused.value)
    assert client.running
    client.close()
    assert not client.running


def test_requests_are_kept_where_asked(standin: Callable[..., DeviceOptions], tmp_path: Path) -> None:
    client = opened(standin(), tmp_path, tmp_path / "log")
    client.request("open", time_limit_s=10)
    client.close()
    (job,) = (tmp_path / "log").glob("*.job")
    assert [b'"op": "hello"' in line or b'"op": "open"' in line for line in job.read_bytes().splitlines()] == [
        True,
        True,
    ]


@pytest.mark.parametrize("shape", [(), (0,), (3, 5), (7, 0, 2)])
@pytest.mark.parametrize("dtype", ["float32", "bool", "uint8", "complex64"])
def test_attachments_are_npy_streams(shape: tuple[int, ...], dtype: str, tmp_path: Path) -> None:
    array = np.ones(shape, dtype)
    path = tmp_path / "a.npy"
    with path.open("wb") as stream:
        attachment = Attachment(array)
        attachment.write(stream)
    assert attachment.size_bytes == path.stat().st_size
    assert np.array_equal(np.load(path), array)


def test_a_non_contiguous_array_is_written_in_its_order(tmp_path: Path) -> None:
    array = np.arange(24).reshape(4, 6).T
    with (tmp_path / "a.npy").open("wb") as stream:
        Attachment(array).write(stream)
    assert np.array_equal(np.load(tmp_path / "a.npy"), array)
