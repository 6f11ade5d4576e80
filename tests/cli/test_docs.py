"""`warpwright docs` as a person uses it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from knowledge.documents.corpus import write_corpus
from knowledge.documents.host import Host, Reply, page, running
from warpwright.cli.commands.registry import GROUPS
from warpwright.cli.main import run
from warpwright.knowledge.documents.shelf import Shelf
from warpwright.knowledge.field_guide.guide import guidance_for


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("WARPWRIGHT_DOCS", str(tmp_path / "docs"))
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "docs"


@pytest.fixture
def corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    made = write_corpus(tmp_path / "corpus")
    assert run(["docs", "add", str(made), "--version", "13.0"]) == 0
    capsys.readouterr()
    return made


@pytest.fixture
def host() -> Iterator[Host]:
    with running() as started:
        started.serve("/robots.txt", Reply(b"", 404))
        for name in "abc":
            started.serve(f"/cuda/{name}/index.html", Reply(page(f"Guide {name}")))
        yield started


@pytest.fixture
def manifest(tmp_path: Path, host: Host) -> Path:
    path = tmp_path / "manifest.toml"
    rows = [f'[[page]]\nbook = "{n}"\npath = "/cuda/{n}/index.html"\ntitle = "Guide {n}"\n' for n in "abc"]
    path.write_text(f'host = "{host.address}"\n' + "".join(rows))
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert run(["docs", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "--help"]) == 0
    text = capsys.readouterr().out
    (group,) = [group for group in GROUPS if group.name == "docs"]
    assert all(command.name in text for command in group.commands)


def test_search_and_read(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "search", "lock clock to base frequency", "-k", "1")["found"]
    assert found[0]["citation"]["id"] == "nc#clock-control"
    assert found[0]["citation"]["text"] == "Nsight Compute Profiling Guide 13.0 > Reproducibility > Clock Control"
    section = _json(capsys, "read", "nc#clock-control", "--max-chars", "20")
    assert (section["text"], section["next"]) == ("By default the profi", "nc#cache-control")
    assert run(["docs", "read", "nc#clock-control", "--max-chars", "20"]) == 0
    told = capsys.readouterr()
    assert "#clock-control" in told.out
    assert "--offset 20 goes on" in told.err


def test_out_of_scope_finds_nothing(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "search", "sourdough bread recipe"]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "nothing relevant is indexed\n")


def test_an_architecture_that_is_older_than_the_documents_is_told_so(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["docs", "search", "lock clock to base frequency", "--arch", "sm_75"]) == 0
    told = capsys.readouterr()
    assert "nc#clock-control" in told.out
    assert (
        "--arch sm_75: older than every architecture that documents are marked with, so nothing is left out" in told.err
    )


def test_status_eval_and_metric(
    corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status = _json(capsys, "status")
    assert (status["rung"], status["problem"]) == ("index", None)
    assert {"nc", "pg", "bpg", "ptx"} <= {book["key"] for book in status["books"]}
    monkeypatch.chdir(corpus)  # anywhere: the questions come along
    result = _json(capsys, "eval")
    assert result["total"]["hit_3"] >= 0.95
    assert result["versions"]["nc"] == "13.0"
    metric = _json(capsys, "metric", "smsp__pcsamp_warps_issue_stalled_barrier")["metric"]
    assert metric["description"].startswith("other warps")
    assert _json(capsys, "metric", "no__such", code=2)["metric"] is None


def test_what_is_exported_holds_no_text(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "export", str(tmp_path / "sections.json"))["sections"] == 91
    text = (tmp_path / "sections.json").read_text()
    assert "nc#clock-control" in text
    assert "base frequency" not in text
    assert str(tmp_path) not in text


def test_an_empty_machine_is_told_what_to_do(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert run(["docs", "status"]) == 0
    assert "run `warpwright docs discover`, `docs add FOLDER` or `docs sync`" in capsys.readouterr().err
    assert run(["docs", "read", "nc#no-such-section"]) == 2
    assert "no section 'nc#no-such-section'" in capsys.readouterr().err


def test_sync_fetches_indexes_and_does_not_ask_again(
    manifest: Path, host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["docs", "sync", "--yes", "--manifest", str(manifest), "--only", "a,b"]) == 0
    told = capsys.readouterr().err
    assert "NVIDIA's text, under NVIDIA's licence" in told
    assert "fetched: Guide a" in told
    assert "2 of 2 pages are here and current" in told
    asked = len(host.requests)
    document = _json(capsys, "sync", "--yes", "--manifest", str(manifest))
    assert (document["counts"]["fresh"], document["counts"]["fetched"]) == (2, 1)
    assert len(host.requests) == asked + 2  # robots.txt and the third page
    assert _json(capsys, "search", "kernels warps")["found"][0]["age_days"] < 1


def test_sync_with_missing_pages_says_which_and_what_to_do(
    manifest: Path, host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    host.serve("/cuda/b/index.html", Reply(b"x", 404))
    host.serve("/cuda/c/index.html", Reply(b"x", 500))
    assert run(["docs", "sync", "--yes", "--manifest", str(manifest)]) == 4
    told = capsys.readouterr().err
    assert "gone: Guide b (the host answered 404)" in told
    assert "failed: Guide c (the host answered 500" in told
    assert "1 of 3 pages are here and current; run it again for the rest" in told


@pytest.mark.parametrize(
    "reply",
    [Reply(b"x", 403), Reply(b"x", 404), Reply(page("Sign in to the network")), Reply(page("404"))],
    ids=["403", "404", "portal", "error page"],
)
def test_sync_that_brings_nothing_is_no_success(
    manifest: Path, host: Host, capsys: pytest.CaptureFixture[str], reply: Reply
) -> None:
    command = ["docs", "sync", "--yes", "--manifest", str(manifest), "--max-age", "0d"]
    for name in "abc":
        host.serve(f"/cuda/{name}/index.html", reply)
    assert run(command) == 4
    assert "0 of 3 pages are here and current\n" in capsys.readouterr().err
    host.serve("/cuda/a/index.html", Reply(page("Guide a")))
    assert run(command) == 0  # asking again would not bring the others
    assert "1 of 3 pages are here and current\n" in capsys.readouterr().err
    host.serve("/cuda/a/index.html", reply)
    assert run(command) == 4
    told = capsys.readouterr().err
    assert "the copy is kept)" in told
    assert "0 of 3 pages are here and current; older copies of 1 serve on\n" in told


def test_pages_of_a_mirror_are_in_the_book_that_its_manifest_names(
    host: Host, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "Neighbouring lanes of a warp should touch neighbouring words. " * 12
    anchor = "coalesced-access-to-global-memory"
    section = f'<section id="{anchor}"><h2>Coalesced Access to Global Memory</h2><p>{text}</p></section>'
    guide = page("CUDA C++ Best Practices Guide").replace(b"</article>", f"{section}</article>".encode())
    host.serve("/mirror/guide.html", Reply(guide))
    manifest = tmp_path / "mirror.toml"
    row = '[[page]]\nbook = "bpg"\npath = "/mirror/guide.html"\ntitle = "CUDA C++ Best Practices Guide"\n'
    manifest.write_text(f'host = "{host.address}"\n{row}')
    assert run(["docs", "sync", "--yes", "--manifest", str(manifest)]) == 0
    capsys.readouterr()
    citation = _json(capsys, "read", f"bpg#{anchor}")["citation"]
    assert citation["text"].startswith("CUDA C++ Best Practices Guide > ")
    assert citation["url"] == f"{host.address}/mirror/guide.html#{anchor}"
    with Shelf(tmp_path / "docs").library() as library:
        advised = guidance_for("uncoalesced", {"global_excess_ratio": 0.8}, "sm_90", finder=library)
    assert advised.rung == "index"
    assert citation["url"] in [found.url for found in advised.citations]
    missing = _json(capsys, "eval")["missing"]
    assert "bpg" not in missing
    assert "nc" in missing


def test_sync_asks_first_and_reaches_no_host_unasked(
    manifest: Path, host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["docs", "sync", "--manifest", str(manifest)]) == 2
    assert "Nobody can be asked here: say --yes" in capsys.readouterr().err
    assert host.requests == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sync", "--yes", "--only", "nothing"], "the manifest has bpg"),
        (["sync", "--yes", "--cuda", "new"], "is no version"),
        (["sync", "--yes", "--max-age", "soon"], "is no age. Write days or hours: 30d, 12h."),
        (["add", "nowhere"], "no such file or folder"),
        (["search", "a", "b", "c", "d"], "give 1 to 3 wordings"),
        (["search", "a", "--arch", "volta"], "--arch 'volta' is no GPU architecture. Write it as sm_90"),
        (["search", "a", "--arch", "sm_999"], "--arch 'sm_999' is no GPU architecture"),
        (["eval", "nowhere.toml"], "nowhere.toml"),
        (["purge"], "say --yes"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_bad_input_is_refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_ctrl_c_ends_a_sync_in_order_and_the_next_one_goes_on(
    manifest: Path, host: Host, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host.before = lambda path: time.sleep(20) if path == "/cuda/b/index.html" and len(host.asked(path)) == 1 else None
    command = [sys.executable, "-m", "warpwright.cli.main", "docs", "sync", "--yes", "--manifest", str(manifest)]
    started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not host.asked("/cuda/b/index.html") or not list(folder.rglob("*.note.json")):
        time.sleep(0.05)
        assert started.poll() is None
    started.send_signal(signal.SIGINT)
    host.before = lambda path: None
    assert "pages are on disk; `warpwright docs sync` goes on from there" in started.communicate(timeout=10)[1]
    assert started.returncode == 130
    assert _json(capsys, "sync", "--yes", "--manifest", str(manifest))["counts"]["fresh"] >= 1


def test_a_sync_that_is_killed_goes_on_where_it_was(
    manifest: Path, host: Host, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host.before = lambda path: time.sleep(20) if path == "/cuda/c/index.html" and len(host.asked(path)) == 1 else None
    command = [sys.executable, "-m", "warpwright.cli.main", "docs", "sync", "--yes", "--manifest", str(manifest)]
    started = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while not host.asked("/cuda/c/index.html") or len(list(folder.rglob("*.note.json"))) < 2:
        time.sleep(0.05)
        assert started.poll() is None
    started.kill()
    started.wait()
    document = _json(capsys, "sync", "--yes", "--manifest", str(manifest))
    assert (document["counts"]["fresh"], document["counts"]["fetched"]) == (2, 1)
    assert document["built"]["pages"] == 3


@pytest.mark.skipif(sys.platform == "win32", reason="asks on a pseudo-terminal")
@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize("words", [["sync", "--manifest"], ["purge"]], ids=["sync", "purge"])
def test_a_question_that_is_left_ends_as_interrupted(manifest: Path, host: Host, key: bytes, words: list[str]) -> None:
    import pty

    command = [
        sys.executable,
        "-m",
        "warpwright.cli.main",
        "docs",
        *words,
        *([str(manifest)] if len(words) > 1 else []),
    ]
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - one ioctl
    )
    os.close(theirs)
    assert started.stderr is not None
    heard = b""
    while b"[y/N]" not in heard:
        heard += os.read(started.stderr.fileno(), 1000)
    os.write(ours, key)
    rest = started.communicate(timeout=20)[1]
    os.close(ours)
    assert started.returncode == 130
    assert b"interrupted: no answer was given, so nothing was done." in rest
    assert host.requests == []


def _take_terminal() -> None:
    """Of the child: keys on its standard input become its signals."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_machine_without_documents_has_no_index(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warpwright.cli.documents.look_around", lambda place: ((), ()))
    assert run(["docs", "discover"]) == 0
    capsys.readouterr()
    status = _json(capsys, "status")
    assert (status["rung"], status["books"]) == ("field guide", [])
    assert status["problem"].startswith("nothing is indexed yet")


def test_saved_error_pages_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/lost.html").write_bytes(page("404 | NVIDIA Docs"))
    (tmp_path / "notes/guide.html").write_bytes(page("Guide"))
    assert run(["docs", "add", str(tmp_path / "notes")]) == 0
    told = capsys.readouterr().err
    assert "lost.html: is an error page ('404 | NVIDIA Docs'), not a document. Delete it" in told
    assert "1 pages, 1 sections in the index" in told


def test_purge_deletes_pages_and_index(manifest: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "sync", "--yes", "--manifest", str(manifest)]) == 0
    capsys.readouterr()
    assert _json(capsys, "purge", "--yes")["bytes"] > 0
    assert not [path for path in folder.rglob("*") if path.is_file()]
