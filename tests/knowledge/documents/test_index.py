"""The index is made, brought up to date and replaced as a whole."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from warpwright.errors import InfrastructureError, InputError, UnavailableError
from warpwright.knowledge.documents.index import build as build_module
from warpwright.knowledge.documents.index.schema import require_fts5
from warpwright.knowledge.documents.index.source import PRIORITY, Source, SourceKind, files
from warpwright.knowledge.documents.library import INDEX
from warpwright.knowledge.documents.shelf import Shelf

PAGE = '<article><section id="{anchor}"><h1>{title}</h1><p>{text}</p></section></article>'


def _page(folder: Path, name: str, text: str, title: str = "Title", anchor: str = "title") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PAGE.format(anchor=anchor, title=title, text=text))
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    _page(folder, "one.html", "the first page is about warps")
    _page(folder, "two.html", "the second page is about banks")
    return folder


@pytest.fixture
def shelf(tmp_path: Path, notes: Path) -> Shelf:
    made = Shelf(tmp_path / "shelf")
    made.add(notes)
    made.update()
    return made


def _ids(shelf: Shelf, question: str) -> list[str]:
    with shelf.library() as library:
        return [found.id for found in library.search(question)]


def test_only_changed_pages_are_read_again(shelf: Shelf, notes: Path) -> None:
    again = shelf.update()
    assert (again.pages, again.parsed, again.removed) == (2, 0, 0)
    _page(notes, "two.html", "now about tiles")
    os.utime(notes / "one.html")
    changed = shelf.update()
    assert (changed.pages, changed.parsed, changed.removed) == (2, 1, 0)
    assert _ids(shelf, "tiles") == ["notes/two#title"]
    assert _ids(shelf, "banks") == []


def test_pages_that_are_gone_leave_the_index(shelf: Shelf, notes: Path) -> None:
    (notes / "one.html").unlink()
    assert shelf.update().removed == 1
    assert _ids(shelf, "warps") == []
    assert _ids(shelf, "banks") == ["notes/two#title"]


def test_another_parser_reads_every_page_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_module, "PARSER_VERSION", 10**6)
    assert shelf.update().parsed == 2


def test_a_reader_keeps_its_index_while_another_is_made(shelf: Shelf, notes: Path) -> None:
    with shelf.library() as library:
        (notes / "one.html").unlink()
        shelf.update()
        assert [found.id for found in library.search("warps")] == ["notes/one#title"]


def test_a_damaged_index_is_made_anew(shelf: Shelf) -> None:
    path = shelf.folder / INDEX
    path.write_bytes(b"garbage" * 100)
    assert shelf.update().pages == 2
    page_size = 4096
    content = bytearray(path.read_bytes())
    content[page_size * 2 :] = b"\xff" * len(content[page_size * 2 :])
    path.write_bytes(content)
    assert shelf.update().pages == 2
    assert _ids(shelf, "banks") == ["notes/two#title"]


def test_no_space_leaves_the_old_index(shelf: Shelf, notes: Path) -> None:
    """`ulimit -f` ends files early, as a full disk would; run in a process of its own."""
    before = (shelf.folder / INDEX).read_bytes()
    for number in range(200):
        _page(notes, f"more{number}.html", "many words " * 200)
    program = (
        "import resource, signal, sys; from pathlib import Path; from warpwright.knowledge.documents.shelf import Shelf;"
        "from warpwright.errors import InfrastructureError; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "try: Shelf(Path(sys.argv[1])).update()\n"
        "except InfrastructureError as error: print(error); sys.exit(4)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(shelf.folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, done.stderr
    assert "was not changed" in done.stdout
    assert (shelf.folder / INDEX).read_bytes() == before
    assert sorted(path.name for path in shelf.folder.iterdir()) == [INDEX, "sources.json"]


def test_a_file_that_cannot_be_read_is_named_and_the_rest_indexed(shelf: Shelf, notes: Path) -> None:
    (notes / "broken.pdf").write_bytes(b"no pdf")
    built = shelf.update()
    assert built.pages == 2
    assert [(Path(path).name, "not a PDF" in reason) for path, reason in built.failed] == [("broken.pdf", True)]


def test_a_page_that_can_no_longer_be_read_leaves_the_index(shelf: Shelf, notes: Path) -> None:
    from knowledge.documents.test_markdown import pdf

    (notes / "guide.pdf").write_bytes(pdf("about clusters"))
    shelf.update()
    assert _ids(shelf, "clusters") == ["notes/guide#page=1"]
    (notes / "guide.pdf").write_bytes(b"damaged")
    built = shelf.update()
    assert (built.removed, len(built.failed)) == (1, 1)
    assert _ids(shelf, "clusters") == []


def test_of_two_copies_of_a_book_the_preferred_one_is_indexed(tmp_path: Path) -> None:
    made = Shelf(tmp_path / "shelf")
    name = "nsight-compute/ProfilingGuide/index.html"
    installed = tmp_path / "installed"
    _page(installed, name, "installed copy about scheduling")
    made.remember(
        [Source(SourceKind.FOLDER, "ncu", installed, "nsight-compute", "2025.1", None, None, PRIORITY["installed"])]
    )
    made.update()
    assert _ids(made, "scheduling") == ["nc#title"]
    _page(tmp_path / "mine", name, "added copy about clusters")
    made.add(tmp_path / "mine")
    made.update()
    assert _ids(made, "scheduling") == []
    assert _ids(made, "clusters") == ["nc#title"]


def test_the_same_anchor_on_two_pages_of_a_book_gives_two_ids(tmp_path: Path) -> None:
    made, folder = Shelf(tmp_path / "shelf"), tmp_path / "mirror/cuda/cuda-programming-guide"
    _page(folder, "01-a/first.html", "about warps")
    _page(folder, "02-b/second.html", "about banks")
    made.add(tmp_path / "mirror")
    made.update()
    assert _ids(made, "warps") == ["pg#title"]
    assert _ids(made, "banks") == ["pg/second#title"]
    with made.library() as library:
        assert library.read("pg/second#title").text == "about banks"


def test_a_pdf_is_cited_with_its_page_and_without_the_address_of_the_html(tmp_path: Path) -> None:
    from knowledge.documents.test_markdown import pdf

    path = tmp_path / "CUDA_C_Best_Practices_Guide.pdf"
    path.write_bytes(pdf("about warps", "about banks"))
    made = Shelf(tmp_path / "shelf")
    made.add(path)
    made.update()
    with made.library() as library:
        cited = library.search("banks")[0].citation
    assert (cited.id, cited.url, cited.path) == ("bpg#page=2", None, f"{path} p.2")


def test_what_cannot_be_added_is_refused(tmp_path: Path, shelf: Shelf) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "image.png").write_bytes(b"x")
    _page(tmp_path / "else/notes", "a.html", "x")
    for path, words in (("nowhere", "no such file"), ("empty", "nothing to index"), ("image.png", "nothing to index")):
        with pytest.raises(InputError, match=words):
            shelf.add(tmp_path / path)
    with pytest.raises(InputError, match="a source is called 'notes' already; give another with --name"):
        shelf.add(tmp_path / "else/notes")
    assert shelf.add(tmp_path / "else/notes", name="more notes").name == "more-notes"


def test_a_damaged_list_of_sources_is_said(shelf: Shelf) -> None:
    (shelf.folder / "sources.json").write_text("[{]")
    with pytest.raises(InputError, match=r"sources.json: not a list of sources"):
        shelf.update()


def test_purge_deletes_ours_and_nothing_else(shelf: Shelf, notes: Path) -> None:
    assert shelf.purge(web=True, sources=False) > 0
    assert [path.name for path in shelf.folder.iterdir()] == ["sources.json"]
    shelf.purge(web=True, sources=True)
    assert list(shelf.folder.iterdir()) == []
    assert len(list(files(Source(SourceKind.FOLDER, "notes", notes)))) == 2


def test_a_disk_that_cannot_be_written_is_said(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="was not changed"):
        Shelf(tmp_path / "file").add(notes)


def test_an_sqlite_without_full_text_search_is_explained() -> None:
    class Without(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("no such module: fts5")

    connection = sqlite3.connect(":memory:", factory=Without)
    with pytest.raises(UnavailableError, match=r"lacks FTS5.*Use a Python whose sqlite3 has it"):
        require_fts5(connection)
    connection.close()
