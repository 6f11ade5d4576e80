"""A workload is made of its own plain files, and everything in them can be seen."""

import os
from pathlib import Path

import pytest

from warpwright.errors import WorkloadError
from warpwright.workload.freeze import freeze_workload
from warpwright.workload.loader import load_workload

from .conftest import REFERENCE, WriteWorkload

OUTSIDE = {"parent": "../secret.h", "inner parent": "a/../../secret.h", "absolute": "/dev/zero", "drive": "C:secret.h"}


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_file_is_named_outside_the_directory(name: str, write_workload: WriteWorkload) -> None:
    directory = write_workload(('name = "axpy"', f'name = "axpy"\nfiles = ["{OUTSIDE[name]}"]'))
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    allowed = "allowed: a relative path with / inside the directory, without .."
    assert str(error.value) == f"{directory / 'workload.toml'}: files[0]: file {OUTSIDE[name]!r}; {allowed}"


@pytest.mark.skipif(os.name == "nt", reason="symbolic links and pipes of POSIX")
@pytest.mark.parametrize("name", ["workload.toml", "reference.py", "kernel.cu", "table.npy", "lib/vec.h"])
def test_a_link_is_no_file_of_a_workload(name: str, write_workload: WriteWorkload) -> None:
    directory = write_workload(
        ('name = "axpy"', 'name = "axpy"\nfiles = ["table.npy"]'),
        ('entry = "axpy"', 'entry = "axpy"\nheaders = ["lib/vec.h"]'),
    )
    path = directory / name
    if "/" in name:
        path = path.parent
        path.symlink_to("/dev")
    else:
        path.unlink(missing_ok=True)
        path.symlink_to("/dev/zero")
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    assert str(error.value) == f"{path}: is a symbolic link; put the file itself there"


@pytest.mark.skipif(os.name == "nt", reason="symbolic links and pipes of POSIX")
def test_a_pipe_is_not_waited_for(write_workload: WriteWorkload) -> None:
    directory = write_workload(('name = "axpy"', 'name = "axpy"\nfiles = ["pipe"]'))
    os.mkfifo(directory / "pipe")
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    assert str(error.value) == f"{directory / 'pipe'}: is no regular file; a workload consists of regular files"


@pytest.mark.skipif(os.name == "nt", reason="symbolic links and pipes of POSIX")
def test_a_file_that_became_a_link_is_not_copied(write_workload: WriteWorkload, tmp_path: Path) -> None:
    directory = write_workload()
    workload = load_workload(directory)
    (directory / "kernel.cu").rename(directory / "elsewhere.cu")
    (directory / "kernel.cu").symlink_to(directory / "elsewhere.cu")
    with pytest.raises(WorkloadError, match=r"kernel\.cu: is a symbolic link"):
        freeze_workload(workload, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


HIDDEN = {
    "reference.py": "reference.py:1: a control character (U+001B) is not allowed; take it out",
    "kernel.cu": "kernel.cu:2: a character that hides or turns text (U+202E) is not allowed; take it out",
    "lib/vec.h": "lib/vec.h:1: a character that hides or turns text (U+200B) is not allowed; take it out",
    "helper.py": "helper.py:1: a control character (U+009B) is not allowed; take it out",
}
TEXTS = {
    "reference.py": f"# \x1b[2J\n{REFERENCE}",
    "kernel.cu": "\n// \u202e\n",
    "lib/vec.h": "\u200b",
    "helper.py": "#\x9b",
}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_text_file_hides_nothing(name: str, write_workload: WriteWorkload) -> None:
    directory = write_workload(
        ('name = "axpy"', 'name = "axpy"\nfiles = ["helper.py"]'),
        ('entry = "axpy"', 'entry = "axpy"\nheaders = ["lib/vec.h"]'),
    )
    (directory / "lib").mkdir()
    for other in ("lib/vec.h", "helper.py"):
        (directory / other).write_text("", encoding="utf-8")
    load_workload(directory)
    (directory / name).write_text(TEXTS[name], encoding="utf-8")
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    assert str(error.value) == f"{directory}/{HIDDEN[name]}"


STRINGS = {
    "comment": ("# \u202e", "workload.toml:1: a character that hides or turns text (U+202E)"),
    "string": ('summary = "\\u001b[2J"', "workload.toml: summary: a control character (U+001B)"),
    "key": ('[tolerance.outputs."\\u001b"]', "workload.toml: tolerance.outputs.\\x1b: a control character (U+001B)"),
    "list": ('files = ["a", "b\\r"]', "workload.toml: files[1]: a control character (U+000D)"),
}


@pytest.mark.parametrize("name", STRINGS)
def test_no_string_hides_anything(name: str, write_workload: WriteWorkload) -> None:
    line, message = STRINGS[name]
    directory = write_workload(
        ('name = "axpy"', f'{line}\nname = "axpy"') if name != "key" else ("[kernel]", f"{line}\n[kernel]")
    )
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    assert str(error.value) == f"{directory}/{message} is not allowed; take it out"
