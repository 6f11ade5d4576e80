"""Documents that installers leave on a disk."""

from pathlib import Path

import pytest

from warpwright.knowledge.documents.discover import discover
from warpwright.knowledge.documents.shelf import Shelf


def _book(folder: Path, name: str = "ProfilingGuide") -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "index.html").write_text("<article><h1>Guide</h1><p>words about replay</p></article>")


@pytest.mark.parametrize(
    ("place", "name", "version"),
    [
        ("opt/nvidia/nsight-compute/2025.3.1/docs", "nsight-compute-2025.3.1", "2025.3.1"),
        ("usr/local/cuda-13.0/nsight-compute-2025.3.0/docs", "nsight-compute-2025.3.0", "2025.3.0"),
        ("usr/share/doc/nsight-compute", "nsight-compute", None),
        ("Program Files/NVIDIA Corporation/Nsight Compute 2024.1.1/docs", "nsight-compute-2024.1.1", "2024.1.1"),
        ("usr/local/cuda-13.0/compute-sanitizer/docs", "compute-sanitizer", None),
    ],
)
def test_usual_places(tmp_path: Path, place: str, name: str, version: str | None) -> None:
    _book(tmp_path / place)
    assert [(source.name, source.version) for source in discover(tmp_path)] == [(name, version)]


def test_a_link_to_an_installation_is_the_same_installation(tmp_path: Path) -> None:
    _book(tmp_path / "usr/local/cuda-13.0/nsight-compute-2025.3.0/docs")
    (tmp_path / "usr/local/cuda").symlink_to("cuda-13.0")
    assert len(discover(tmp_path)) == 1


def test_the_program_in_the_path_leads_to_its_documents(tmp_path: Path) -> None:
    home = tmp_path / "anywhere/nsight-compute-2025.1.0"
    _book(home / "docs")
    (home / "target/linux").mkdir(parents=True)
    (home / "target/linux/ncu").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ncu").symlink_to(home / "target/linux/ncu")
    found = discover(tmp_path / "empty", [tmp_path / "bin/ncu"])
    assert [(source.root, source.product) for source in found] == [(home / "docs", "nsight-compute")]


def test_wheels_and_the_version_that_they_state(tmp_path: Path) -> None:
    docs = tmp_path / "site/nvidia/cu13/compute-sanitizer/docs"
    _book(docs, "ComputeSanitizer")
    (docs / "VERSION").write_text("13.5\n")
    found = discover(tmp_path / "empty", packages=[tmp_path / "site"])
    assert [(source.name, source.version) for source in found] == [("compute-sanitizer-13.5", "13.5")]


def test_the_newest_release_in_the_notes_is_the_version(tmp_path: Path) -> None:
    docs = tmp_path / "usr/share/doc/nsight-compute"
    _book(docs)
    (docs / "ReleaseNotes/topics").mkdir(parents=True)
    for name in ("2023-3", "2024-1", "2024-1-1", "2019-5-3"):
        (docs / f"ReleaseNotes/topics/updates-{name}.html").write_text("x")
    assert [source.version for source in discover(tmp_path)] == ["2024.1.1"]


def test_a_folder_without_pages_is_no_documentation(tmp_path: Path) -> None:
    (tmp_path / "opt/nvidia/nsight-compute/2025.3.1/docs").mkdir(parents=True)
    assert discover(tmp_path) == ()


def test_installations_that_vanish_are_forgotten_and_added_folders_kept(tmp_path: Path) -> None:
    old = tmp_path / "opt/nvidia/nsight-compute/2025.1.0/docs"
    _book(old)
    _book(tmp_path / "mine", "guide")
    shelf = Shelf(tmp_path / "shelf")
    shelf.add(tmp_path / "mine")
    assert [source.name for source in shelf.remember(discover(tmp_path))] == ["nsight-compute-2025.1.0"]
    assert shelf.update().pages == 2
    old.rename(tmp_path / "elsewhere")
    assert shelf.remember(discover(tmp_path)) == ()
    assert shelf.update().pages == 1
    assert [source.name for source in shelf.sources()] == ["mine"]
