"""Fetching, against a real host on this machine: every answer that a host can give, and every way to be stopped."""

import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from knowledge.documents.host import Host, Reply, page, running
from knowledge.documents.syncing import AGENT, FAST, synced
from warpwright.errors import InfrastructureError, InputError, Interrupted, UnavailableError
from warpwright.knowledge.documents.sync.fetch import PAGE_LIMIT, Client, Failed
from warpwright.knowledge.documents.sync.manifest import read_manifest
from warpwright.knowledge.documents.sync.report import PageState, SyncReport
from warpwright.knowledge.documents.sync.store import PageStore


def _only(report: SyncReport) -> tuple[PageState, str]:
    (result,) = report.results
    return result.state, result.reason


def test_pages_are_fetched_with_our_name_and_kept_with_what_is_known_of_them(host: Host, store: PageStore) -> None:
    host.serve(
        "/guide/index.html",
        Reply(page("Guide"), headers={"ETag": '"1"', "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}),
    )
    report = synced(host, store, "/guide/index.html")
    assert (report.on_disk, report.incomplete) == (1, False)
    assert host.asked("/guide/index.html")[0].headers["User-Agent"] == AGENT
    (file,) = store.files()
    assert file.path.read_bytes() == page("Guide")
    assert (file.relative, file.url, file.etag, file.http_status) == (
        "guide/index.html",
        f"{host.address}/guide/index.html",
        '"1"',
        200,
    )


def test_young_pages_are_not_asked_for_and_old_ones_conditionally(host: Host, store: PageStore) -> None:
    host.serve("/a.html", Reply(page("A"), headers={"ETag": '"1"'}))
    synced(host, store, "/a.html")
    assert _only(synced(host, store, "/a.html"))[0] is PageState.FRESH
    assert len(host.asked("/a.html")) == 1
    before = store.files()[0].fetched_at
    old = replace(FAST, max_age_s=0.0)
    assert _only(synced(host, store, "/a.html", options=old))[0] is PageState.UNCHANGED
    assert host.asked("/a.html")[1].headers["If-None-Match"] == '"1"'
    after = store.files()[0].fetched_at
    assert before is not None
    assert after is not None
    assert after > before
    host.serve("/a.html", Reply(page("B"), headers={"ETag": '"2"'}))
    assert _only(synced(host, store, "/a.html", options=old))[0] is PageState.FETCHED
    assert store.files()[0].path.read_bytes() == page("B")


def test_a_page_that_vanished_is_marked_and_its_copy_kept(host: Host, store: PageStore) -> None:
    host.serve("/a.html", Reply(page("A")))
    synced(host, store, "/a.html")
    host.serve("/a.html", Reply(b"gone", 404))
    state, reason = _only(synced(host, store, "/a.html", options=replace(FAST, max_age_s=0.0)))
    assert (state, reason) == (PageState.GONE, "the host answered 404, the copy is kept")
    (file,) = store.files()
    assert file.gone_at is not None
    assert file.path.read_bytes() == page("A")


@pytest.mark.parametrize(
    ("reply", "state", "words"),
    [
        (Reply(b"x", 404), PageState.GONE, "answered 404"),
        (Reply(b"x", 403), PageState.REJECTED, "answered 403"),
        (Reply(b"<h1>Page Not Found</h1>" + page("x")), PageState.REJECTED, "is an error page ('Page Not Found')"),
        (Reply(b"<title>404 Not Found</title>" + page("x")), PageState.REJECTED, "is an error page"),
        (Reply(b"<body>" + b"word " * 200 + b"</body>"), PageState.REJECTED, "neither a main heading nor an article"),
        (Reply(b"<h1>Guide</h1><p>short</p>"), PageState.REJECTED, "has 5 characters of text"),
        (Reply(page("G"), headers={"Content-Encoding": "br"}), PageState.REJECTED, "sent as br"),
        (Reply(b"x" * 100, length=PAGE_LIMIT + 1), PageState.REJECTED, f"has {PAGE_LIMIT + 1} bytes or more"),
        (Reply(b"x", 503), PageState.FAILED, "answered 503"),
        (Reply(page("G"), length=len(page("G")) + 9), PageState.FAILED, "broke off after"),
        (Reply(dropped=True), PageState.FAILED, "the connection broke"),
    ],
    ids=lambda value: None if isinstance(value, Reply) else str(value)[:24],
)
def test_what_is_no_document_is_not_kept(
    host: Host, store: PageStore, reply: Reply, state: PageState, words: str
) -> None:
    host.serve("/a.html", reply)
    host.serve("/b.html", Reply(page("B")))
    report = synced(host, store, "/a.html", "/b.html")
    first, second = report.results
    assert first.state is state
    assert words in first.reason
    assert second.state is PageState.FETCHED
    assert [file.relative for file in store.files()] == ["b.html"]
    assert report.incomplete is (state is PageState.FAILED)


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Sign in to the network", "is an error page ('Sign in to the network')"),
        ("Welcome to Airport Wi-Fi", "is titled 'Welcome to Airport Wi-Fi', which has no word of 'warps.html'"),
        ("NVIDIA CUDA", "fetched"),
        ("", "fetched"),
    ],
    ids=["sign in", "another page", "nothing to compare", "no title"],
)
def test_another_page_in_place_of_a_document_does_not_take_the_place_of_the_copy(
    host: Host, store: PageStore, title: str, words: str
) -> None:
    host.serve("/warps.html", Reply(page("Warps and Lanes")))
    synced(host, store, "/warps.html")
    host.serve("/warps.html", Reply(page(title)))
    report = synced(host, store, "/warps.html", options=replace(FAST, max_age_s=0.0))
    state, reason = _only(report)
    (file,) = store.files()
    if words == "fetched":
        assert (state, file.path.read_bytes(), report.kept) == (PageState.FETCHED, page(title), 0)
    else:
        assert state is PageState.REJECTED
        assert reason.startswith(words)
        assert reason.endswith("the copy is kept")
        assert (file.path.read_bytes(), report.on_disk, report.kept) == (page("Warps and Lanes"), 0, 1)


@pytest.mark.parametrize(
    ("title", "state"),
    [
        ("CUDA C++ Best Practices 14", PageState.FETCHED),
        ("Lanes", PageState.FETCHED),
        ("Warp-level code", PageState.FETCHED),
        ("A network of machines", PageState.REJECTED),
    ],
    ids=["the book's title", "the copy's heading", "the beginning of a word", "another page"],
)
def test_a_document_may_be_titled_otherwise_than_the_manifest_says(
    host: Host, store: PageStore, title: str, state: PageState
) -> None:
    host.serve("/warps-work.html", Reply(page("Warps and Lanes")))
    synced(host, store, "/warps-work.html")
    host.serve("/warps-work.html", Reply(page(title)))
    assert _only(synced(host, store, "/warps-work.html", options=replace(FAST, max_age_s=0.0)))[0] is state


def test_a_page_that_was_never_here_is_held_to_its_title_too(host: Host, store: PageStore) -> None:
    host.serve("/warps.html", Reply(page("Welcome to Airport Wi-Fi")))
    state, reason = _only(synced(host, store, "/warps.html"))
    assert state is PageState.REJECTED
    assert reason.endswith("if the host renamed the document, change its title in the manifest")
    assert store.files() == []


def test_the_manifest_says_to_which_book_a_page_belongs(host: Host, store: PageStore) -> None:
    """Also to a page that an earlier version fetched, without asking for it again."""
    host.serve("/a.html", Reply(page("A")))
    synced(host, store, "/a.html")
    note = store.folder / "a.html.note.json"
    assert store.files()[0].book == "bpg"
    older = {key: value for key, value in json.loads(note.read_text()).items() if key != "book"}
    note.write_text(json.dumps(older))
    assert store.files()[0].book is None
    assert _only(synced(host, store, "/a.html"))[0] is PageState.FRESH
    assert (store.files()[0].book, store.files()[0].fetched_at) == ("bpg", older["fetched_at"])
    assert len(host.asked("/a.html")) == 1


def test_an_html_page_under_a_markdown_address_is_an_error_page(host: Host, store: PageStore) -> None:
    host.serve("/a.html.md", Reply(b"<!DOCTYPE html>" + page("A")))
    host.serve("/b.html.md", Reply(b"# B\n\n" + b"Words about kernels. " * 40))
    states = [result.state for result in synced(host, store, "/a.html.md", "/b.html.md").results]
    assert states == [PageState.REJECTED, PageState.FETCHED]


def test_a_body_without_end_is_cut_off_at_the_limit(host: Host, store: PageStore) -> None:
    host.serve("/a.html", Reply(b"x" * (PAGE_LIMIT + 100_000), headers={"Connection": "close"}, length=PAGE_LIMIT))
    host.serve("/b.html", Reply(b"x" * 10))
    assert synced(host, store, "/a.html", "/b.html").count(PageState.REJECTED) == 2
    assert store.files() == []


@pytest.mark.parametrize(
    ("timeout_s", "deadline_s", "words"),
    [(0.1, 60.0, "the connection broke: TimeoutError"), (5.0, 0.1, "took longer than 0 s")],
    ids=["silence", "trickle"],
)
def test_a_host_that_takes_for_ever_is_left(host: Host, timeout_s: float, deadline_s: float, words: str) -> None:
    host.serve("/a.html", Reply(page("A"), trickle_s=0.3))
    answer = Client(host.address, AGENT, timeout_s, deadline_s).get(f"{host.address}/a.html")
    assert isinstance(answer, Failed)
    assert words in answer.reason


def test_a_fault_that_passes_is_tried_again(host: Host, store: PageStore) -> None:
    whole = page("A")
    host.serve("/a.html", Reply(b"x", 503), Reply(whole, length=len(whole) + 5), Reply(whole))
    assert _only(synced(host, store, "/a.html"))[0] is PageState.FETCHED
    assert len(host.asked("/a.html")) == 3


def test_the_host_is_given_the_time_that_it_asks_for(host: Host, store: PageStore) -> None:
    host.serve("/a.html", Reply(b"x", 503, {"Retry-After": "1"}), Reply(page("A")))
    assert _only(synced(host, store, "/a.html"))[0] is PageState.FETCHED
    first, second = host.asked("/a.html")
    assert second.at - first.at >= 1.0


def test_redirects_stay_on_the_host(host: Host, store: PageStore) -> None:
    host.serve("/old.html", Reply(status=301, headers={"Location": "/new.html"}))
    host.serve("/new.html", Reply(page("Old, under a new address")))
    host.serve("/away.html", Reply(status=302, headers={"Location": "http://localhost:1/x.html"}))
    host.serve("/other.html", Reply(status=302, headers={"Location": "file:///etc/passwd"}))
    host.serve("/round.html", Reply(status=302, headers={"Location": "/round.html"}))
    report = synced(host, store, "/old.html", "/away.html", "/other.html", "/round.html")
    assert [result.state for result in report.results] == [PageState.FETCHED, *[PageState.REJECTED] * 3]
    assert "pages come from" in report.results[1].reason
    assert "file:///etc/passwd" in report.results[2].reason
    assert report.results[3].reason == "more than 5 redirects"


def test_robots_are_honoured(host: Host, store: PageStore) -> None:
    host.serve("/private/a.html", Reply(page("A")))
    host.serve("/b.html", Reply(page("B")))
    states = [result.state for result in synced(host, store, "/private/a.html", "/b.html").results]
    assert states == [PageState.FORBIDDEN, PageState.FETCHED]
    assert host.asked("/private/a.html") == []


@pytest.mark.parametrize(
    ("reply", "fetched"), [(Reply(b"x", 404), True), (Reply(b"x", 500), False), (Reply(b"x", 403), False)]
)
def test_a_host_that_does_not_say_what_may_be_fetched(
    host: Host, store: PageStore, reply: Reply, *, fetched: bool
) -> None:
    host.serve("/robots.txt", reply)
    host.serve("/a.html", Reply(page("A")))
    if fetched:
        assert synced(host, store, "/a.html").on_disk == 1
    else:
        with pytest.raises(UnavailableError, match="Nothing was fetched; pages on this disk still serve"):
            synced(host, store, "/a.html")
        assert host.asked("/a.html") == []


def test_at_most_two_at_a_time(host: Host, store: PageStore) -> None:
    paths = [f"/{number}.html" for number in range(6)]
    for path in paths:
        host.serve(path, Reply(page(path)))
    host.before = lambda path: time.sleep(0.1)
    synced(host, store, *paths)
    assert host.most_busy == 2


def test_a_gap_lies_between_the_starts_of_requests(host: Host, store: PageStore) -> None:
    paths = [f"/{number}.html" for number in range(4)]
    for path in paths:
        host.serve(path, Reply(page(path)))
    synced(host, store, *paths, options=replace(FAST, gap_s=0.2))
    starts = [request.at for request in host.requests]
    assert starts[-1] - starts[0] >= 4 * 0.2 - 0.1  # arrivals differ from starts by what a connection takes


def test_the_gap_that_robots_ask_for_is_kept(host: Host, store: PageStore) -> None:
    host.serve("/robots.txt", Reply(b"User-agent: *\nCrawl-delay: 1\n"))
    for path in ("/a.html", "/b.html"):
        host.serve(path, Reply(page(path)))
    synced(host, store, "/a.html", "/b.html")
    assert abs(host.asked("/b.html")[0].at - host.asked("/a.html")[0].at) >= 0.9


def test_no_network_is_said_and_harms_nothing(store: PageStore) -> None:
    with running() as host:
        pass
    with pytest.raises(
        UnavailableError, match=r"the host is not reached: .*`warpwright docs sync` where there is a network"
    ):
        synced(host, store, "/a.html")


def test_a_network_that_breaks_stops_the_run_early_and_it_can_be_run_again(host: Host, store: PageStore) -> None:
    paths = [f"/{number}.html" for number in range(16)]
    for path in paths:
        host.serve(path, Reply(dropped=True))
    host.serve(paths[0], Reply(page("0")))
    report = synced(host, store, *paths)
    assert report.incomplete
    assert (
        report.count(PageState.NOT_TRIED) >= 8
    )  # two under way besides the three, and a success in between may start the count anew
    for path in paths:
        host.serve(path, Reply(page(path)))
    report = synced(host, store, *paths)
    assert (report.count(PageState.FRESH), report.count(PageState.FETCHED)) == (1, 15)


def test_ctrl_c_keeps_what_is_whole_and_the_next_run_goes_on(host: Host, store: PageStore) -> None:
    paths = [f"/{number}.html" for number in range(10)]
    for path in paths:
        host.serve(path, Reply(page(path)))
    host.before = lambda path: os.kill(os.getpid(), signal.SIGINT) if path == "/4.html" else None
    with pytest.raises(Interrupted, match=r"\d of 10 pages are on disk; `warpwright docs sync` goes on from there"):
        synced(host, store, *paths, options=replace(FAST, gap_s=0.05))
    kept = len(store.files())
    assert 3 <= kept <= 6  # the page before may be under way in the other thread
    host.before = lambda path: None
    report = synced(host, store, *paths)
    assert report.count(PageState.FRESH) >= kept  # a page under way at Ctrl-C may still have come
    assert report.on_disk == 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
def test_a_full_disk_stops_the_run_which_can_be_run_again(host: Host, store: PageStore) -> None:
    paths = ["/a.html", "/b.html", "/c.html"]
    for path in paths:
        host.serve(path, Reply(page(path)))
    store.folder.mkdir()
    (store.folder / "b.html.part").symlink_to("/dev/full")
    with pytest.raises(InfrastructureError, match=r"No space left on device. \d of 3 pages are on disk; free space"):
        synced(host, store, *paths)
    assert "b.html" not in [file.relative for file in store.files()]
    assert synced(host, store, *paths).on_disk == 3


def test_a_page_cut_short_by_a_kill_is_fetched_again(host: Host, store: PageStore) -> None:
    host.serve("/a.html", Reply(page("A")))
    synced(host, store, "/a.html")
    store.path(f"{host.address}/a.html").write_bytes(page("A")[:50])
    assert store.files() == []
    assert _only(synced(host, store, "/a.html"))[0] is PageState.FETCHED


def test_the_manifest_that_is_shipped() -> None:
    manifest = read_manifest()
    assert manifest.host == "https://docs.nvidia.com"
    assert 35 <= len(manifest.pages) <= 50
    newest = [manifest.url(page, None) for page in manifest.selected((), None)]
    assert "https://docs.nvidia.com/cuda/cuda-programming-guide/02-basics/writing-cuda-kernels.html" in newest
    assert not any("cuda-c-programming-guide" in url for url in newest)
    older = [manifest.url(page, "12.6.3") for page in manifest.selected(("pg", "nc"), "12.6.3")]
    assert older == [
        "https://docs.nvidia.com/cuda/archive/12.6.3/cuda-c-programming-guide/index.html",
        "https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html",
    ]


@pytest.mark.parametrize(
    ("only", "cuda", "words"),
    [(("nothing",), None, "the manifest has bpg, pg"), ((), "13", "is no version"), ((), "../x", "is no version")],
)
def test_selections_that_do_not_exist(only: tuple[str, ...], cuda: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_manifest().selected(only, cuda)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('host = "http://docs.example.com"\npage = []', "is not https"),
        ('host = "https://a.example"\n[[page]]\nbook = "x"\npath = "a"\ntitle = "t"', "begin with `/`"),
        ("page = []", "'host'"),
        ("host =", "Invalid value"),
    ],
)
def test_manifests_that_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_manifest(path)


def test_a_path_of_the_host_cannot_leave_the_folder(store: PageStore) -> None:
    for url in ("https://h/../../etc/passwd", "https://h/a/..%2f..%2fb", "https://h//etc/passwd"):
        assert store.path(url).resolve().is_relative_to(store.folder.resolve())
    assert sys.platform != "win32" or store.path("https://h/a:b").name == "a_b"
