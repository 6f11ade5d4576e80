"""Large attachments as files of a folder that both sides see (docs/harness.md, *Messages*)."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from harness.requests import Axpb, expected
from harness.wire import LARGEST_INLINE_BYTES, Array, Wire, npy

Opened = Callable[..., Wire]
Serve = Callable[..., Wire]

COUNT = LARGEST_INLINE_BYTES
"""Elements: four times the bytes that follow a line."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is an exchange folder on Linux only")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "exchange"
    made.mkdir()
    return made


def names_of(folder: Path) -> Sequence[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_run_with_large_arrays_gives_the_same_through_files(opened: Opened, folder: Path) -> None:
    x = np.random.default_rng(5).standard_normal(COUNT, np.float32)
    request = Axpb(COUNT, x={"recipe": None, "pool": [0]}).run(values={"x": 0, "b": "0" * 31 + "3"})
    through_pipes = opened("axpb").ask("run", x, **request)
    wire = opened("axpb", exchange=folder)
    wire.send("run", x, **request)
    line, reply = wire.receive_line()
    assert line["npy_files"] == ["reply-0.npy"]
    np.testing.assert_array_equal(reply.arrays[0], through_pipes.arrays[0])
    assert names_of(folder) == []
    assert wire.finish() == 0


def test_small_arrays_follow_their_line(opened: Opened, folder: Path) -> None:
    wire = opened("axpb", exchange=folder)
    wire.send("run", **Axpb(1000).run())
    line, reply = wire.receive_line()
    assert "npy_files" not in line
    np.testing.assert_array_equal(reply.arrays[0], expected(1000))


def test_kept_outputs_come_as_files(opened: Opened, folder: Path) -> None:
    wire = opened("axpb", exchange=folder)
    request = Axpb(COUNT)
    wire.send("time", **request.time(request.block(launches=4, keep=[0, 3]), sets=2))
    line, reply = wire.receive_line()
    assert all(line["npy_files"])
    for kept, array in zip(reply["kept"], reply.arrays, strict=True):
        np.testing.assert_array_equal(array, expected(COUNT, 1 + kept["launch"]))
    assert names_of(folder) == []


def test_a_folder_without_room_is_no_obstacle(opened: Opened, folder: Path) -> None:
    """Root writes where it has no permission, so the folder is filled in another way: the file may not grow so large."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * LARGEST_INLINE_BYTES, before[1]))
    try:
        wire = opened("axpb", exchange=folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    wire.send("run", **Axpb(COUNT).run())
    line, reply = wire.receive_line()
    assert "npy_files" not in line
    np.testing.assert_array_equal(reply.arrays[0], expected(COUNT))
    assert names_of(folder) == []


@pytest.mark.parametrize("name", ["../x.npy", "/etc/passwd", "absent.npy", "link.npy", ""])
def test_a_name_that_leads_elsewhere_ends_the_process(serve: Serve, folder: Path, name: str) -> None:
    array: Array = np.zeros(COUNT, np.float32)
    outside = folder.parent / "x.npy"
    outside.write_bytes(npy(array))
    (folder / "link.npy").symlink_to(outside)
    wire = serve(exchange=folder)
    body = {"id": 1, "op": "heartbeat", "npy_bytes": [outside.stat().st_size], "npy_files": [name]}
    wire.write(json.dumps(body).encode() + b"\n")
    assert wire.finish() == 64
    assert "npy_files" in wire.stderr()
    assert outside.exists()


def test_without_a_folder_no_file_is_read(serve: Serve) -> None:
    wire = serve()
    wire.write(b'{"id": 1, "op": "heartbeat", "npy_bytes": [9], "npy_files": ["x.npy"]}\n')
    assert wire.finish() == 64
    assert "there is no exchange folder" in wire.stderr()
