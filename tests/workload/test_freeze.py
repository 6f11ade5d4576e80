"""Frozen copies: complete, loadable, and never of a half-edited workload."""

from pathlib import Path

import pytest

from warpwright.errors import WorkloadError
from warpwright.workload.freeze import freeze_workload
from warpwright.workload.loader import load_workload

from .conftest import WriteWorkload


def test_the_copy_is_the_workload_without_the_original(write_workload: WriteWorkload, tmp_path: Path) -> None:
    directory = write_workload(
        ('entry = "axpy"', 'entry = "axpy"\nheaders = ["lib/vec.h"]'),
        ('name = "axpy"', 'name = "axpy"\nfiles = ["table.npy"]'),
    )
    (directory / "lib").mkdir()
    (directory / "lib" / "vec.h").write_text("#pragma once\n", encoding="utf-8")
    (directory / "table.npy").write_bytes(b"\x00\x01")
    (directory / "notes.txt").write_text("not part of it", encoding="utf-8")
    workload = load_workload(directory)
    frozen = freeze_workload(workload, tmp_path / "session" / "workload")
    assert frozen.content_hash == workload.content_hash
    assert frozen.initial == workload.initial
    assert frozen.initial.headers == {"lib/vec.h": "#pragma once\n"}
    assert not (frozen.directory / "notes.txt").exists()


def test_an_edit_in_between_is_noticed(write_workload: WriteWorkload, tmp_path: Path) -> None:
    directory = write_workload()
    workload = load_workload(directory)
    (directory / "kernel.cu").write_text("// edited\n", encoding="utf-8")
    with pytest.raises(WorkloadError) as error:
        freeze_workload(workload, tmp_path / "copy")
    assert str(error.value) == f"{directory}: was edited while it was being copied; start again"
