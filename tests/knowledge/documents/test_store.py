"""Fetched pages on disk: whatever cuts a write off, what was there before still is."""

import hashlib
from pathlib import Path

import pytest

from warpwright.knowledge.documents.sync.store import PageNote, PageStore

URL = "https://host/guide/a.html"


def _note(content: bytes, url: str = URL) -> PageNote:
    return PageNote(url, hashlib.sha256(content).hexdigest(), 1.0, 200, etag=content.decode())


@pytest.fixture
def store(tmp_path: Path) -> PageStore:
    made = PageStore(tmp_path)
    made.write(_note(b"old"), b"old")
    return made


def _held(store: PageStore) -> tuple[bytes, str | None]:
    """Content and what is known of it, of the one page."""
    (file,) = store.files()
    assert store.note(URL) is not None
    assert store.any()
    return file.path.read_bytes(), file.etag


def test_a_page_replaces_the_one_before(store: PageStore) -> None:
    store.write(_note(b"new"), b"new")
    assert _held(store) == (b"new", "new")
    assert sorted(path.name for path in store.folder.rglob("*.*")) == ["a.html", "a.html.note.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
@pytest.mark.parametrize("full", ["a.html.part", "a.html.note.json.part"])
def test_a_disk_that_fills_up_leaves_the_page_that_was_there(store: PageStore, full: str) -> None:
    (store.folder / "guide" / full).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        store.write(_note(b"new"), b"new")
    assert _held(store) == (b"old", "old")
    assert not list(store.folder.rglob("*.part"))
    store.write(_note(b"new"), b"new")
    assert _held(store) == (b"new", "new")


@pytest.mark.parametrize(("before", "expected"), [(0, (b"old", "old")), (1, (b"new", "new"))], ids=["page", "note"])
def test_a_kill_before_either_takes_its_place_loses_nothing(
    store: PageStore, monkeypatch: pytest.MonkeyPatch, before: int, expected: tuple[bytes, str]
) -> None:
    """before: how many have taken their places by then."""
    done = 0
    replace = Path.replace

    def killed(self: Path, target: Path) -> Path:
        nonlocal done
        if done == before:
            raise KeyboardInterrupt
        done += 1
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            store.write(_note(b"new"), b"new")
    assert _held(store) == expected
    store.write(_note(b"newer"), b"newer")
    assert _held(store) == (b"newer", "newer")


def test_a_first_page_whose_note_did_not_take_its_place_is_there(tmp_path: Path, store: PageStore) -> None:
    note = tmp_path / "guide" / "a.html.note.json"
    note.rename(note.with_name(f"{note.name}.part"))
    assert _held(store) == (b"old", "old")
    known = store.note(URL)
    assert known is not None
    store.confirm(known)
    assert note.is_file()


def test_a_copy_from_elsewhere_is_not_taken_for_the_page(store: PageStore) -> None:
    assert store.note("http://127.0.0.1:8000/guide/a.html") is None


def test_pages_without_an_ending_do_not_stand_in_the_way_of_those_below(store: PageStore) -> None:
    for url in ("https://host/guide", "https://host/guide/", "https://host", "https://host/guide/b.html"):
        store.write(_note(b"x", url), b"x")
        assert store.note(url) is not None
