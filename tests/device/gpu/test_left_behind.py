"""Commands that are ended by a signal leave no folder of the harness behind, or the next one removes it."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluation.conftest import KERNEL, REFERENCE, WORKLOAD
from warpwright.device.registry import DeviceOptions
from warpwright.isolation import owned_folder
from warpwright.isolation.owned_folder import OwnedFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends commands by signals")

Start = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Where the command keeps its temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def start(standin: Callable[..., DeviceOptions], tmp_path: Path, temporary: Path) -> Iterator[Start]:
    """`warpwright evaluate` on a kernel that never ends."""
    workload = tmp_path / "workload"
    workload.mkdir()
    for name, text in {"workload.toml": WORKLOAD, "kernel.cu": KERNEL, "reference.py": REFERENCE}.items():
        (workload / name).write_text(text, encoding="utf-8")
    options = standin(kernels={"axpb": {"hang": True}})
    environment = {
        **os.environ,
        "TMPDIR": str(temporary),
        "WARPWRIGHT_HARNESS": str(options.harness),
        "WARPWRIGHT_DRIVER": str(options.driver),
        "WARPWRIGHT_CACHE": str(tmp_path / "cache"),
    }
    command = [sys.executable, "-m", "warpwright.cli.main", "evaluate", str(workload), "--device", "gpu:0"]
    started: list[subprocess.Popen[str]] = []

    def begin() -> "subprocess.Popen[str]":
        started.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        )
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


def folders(temporary: Path) -> list[Path]:
    return list(temporary.glob("warpwright-harness*"))


def in_use(temporary: Path, patience_s: float = 60.0) -> list[Path]:
    """The folders of the harness, once there are any."""
    deadline = time.monotonic() + patience_s
    while not folders(temporary) and time.monotonic() < deadline:
        time.sleep(0.02)
    return folders(temporary)


def test_a_command_that_is_terminated_cleans_up_and_says_so(start: Start, temporary: Path) -> None:
    command = start()
    assert len(in_use(temporary)) == 1
    command.send_signal(signal.SIGTERM)
    command.wait(30)
    assert command.returncode == 128 + signal.SIGTERM
    assert folders(temporary) == []


def test_what_a_killed_command_left_is_removed_by_the_next(start: Start, temporary: Path) -> None:
    killed = start()
    left = in_use(temporary)
    killed.kill()
    killed.wait()
    assert folders(temporary) == left
    following = start()
    deadline = time.monotonic() + 60
    while set(left) & set(folders(temporary)) and time.monotonic() < deadline:
        time.sleep(0.02)
    kept = in_use(temporary)
    assert len(kept) == 1
    assert kept != left
    assert following.poll() is None


def test_a_folder_whose_owner_lives_or_is_unknown_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "kept").touch()
    (tmp_path / "kind-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "kind-orphan").mkdir()
    with OwnedFolder.make(tmp_path, "kind") as first:
        assert not (tmp_path / "kind-orphan").exists()
        first_path = first.path
        owned_folder._remove_orphans.cache_clear()  # as in another process
        with OwnedFolder.make(tmp_path, "kind") as second:
            assert first.path.is_dir()
            assert second.path.is_dir()
    assert not first_path.exists()
    assert (tmp_path / "elsewhere" / "kept").exists()


def test_an_interrupt_while_a_folder_is_made_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> None:
        rename(path, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        OwnedFolder.make(tmp_path, "kind")
    gc.collect()
    assert list(tmp_path.iterdir()) == []
