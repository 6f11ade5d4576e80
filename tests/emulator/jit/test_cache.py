"""Machine code kept between processes, and what may go wrong with it."""

from pathlib import Path

import numpy as np
import pytest

from emulator.jit.launching import Setting, compile_cuda, graph_of, launch
from warpwright.emulator.jit import Jit, native
from warpwright.emulator.jit.cache import ObjectCache
from warpwright.emulator.jit.executor import fingerprint

SOURCE = 'extern "C" __global__ void k(int* a) { a[threadIdx.x] = threadIdx.x * FACTOR; }'


def result(cache: Path | None, factor: int = 3) -> list[int]:
    graph = graph_of(compile_cuda(SOURCE.replace("FACTOR", str(factor))))
    launched = launch(Jit(graph, cache), graph, [np.zeros(32, np.int32)], Setting())
    return [int(value) for value in launched.arrays[0][:3]]


def test_the_second_time_nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert result(tmp_path) == [0, 3, 6]
    monkeypatch.setattr(native, "compile_object", lambda *_, **__: pytest.fail("compiled again"))
    assert result(tmp_path) == [0, 3, 6]


def test_kernels_do_not_share_an_entry(tmp_path: Path) -> None:
    assert result(tmp_path, 3) == [0, 3, 6]
    assert result(tmp_path, 5) == [0, 5, 10]


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\0" * 4000], ids=["empty", "short", "zeros"])
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: bytes) -> None:
    result(tmp_path)
    entries = list(tmp_path.glob("*.o"))
    assert entries
    for entry in entries:
        entry.write_bytes(damage)
    assert result(tmp_path) == [0, 3, 6]
    assert all(entry.read_bytes() != damage for entry in entries)


def test_a_directory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    assert result(blocked / "below") == [0, 3, 6]


def test_the_key_names_cpu_kind_and_content() -> None:
    cache = ObjectCache(None, native.host_cpu())
    keys = {cache.key("kernel", "a"), cache.key("kernel", "b"), cache.key("runtime", "a"), cache.key("kernel", "a")}
    assert len(keys) == 3


def test_source_lines_do_not_change_the_fingerprint() -> None:
    source = SOURCE.replace("FACTOR", "3")
    moved, other = (graph_of(compile_cuda(text)) for text in ("\n\n" + source, source.replace("* 3", "* 4")))
    assert fingerprint(graph_of(compile_cuda(source))) == fingerprint(moved)
    assert fingerprint(moved) != fingerprint(other)
