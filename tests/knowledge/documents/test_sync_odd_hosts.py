"""Fetching from hosts that answer oddly, ask for patience, or are asked by two at once: no page stops the others."""

import time
from dataclasses import replace
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path

import pytest

from knowledge.documents.host import Host, Reply, page
from knowledge.documents.syncing import AGENT, FAST, manifest_of, synced
from warpwright.errors import InfrastructureError, UnavailableError
from warpwright.isolation.file_lock import file_lock
from warpwright.knowledge.documents.sync.fetch import Client, Fetched
from warpwright.knowledge.documents.sync.report import PageResult, PageState
from warpwright.knowledge.documents.sync.store import PageStore
from warpwright.knowledge.documents.sync.sync import sync


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://[broken/x", "leads to an address that is none"),
        ("//[::1/", "leads to an address that is none"),
        ("http://h:port:1/", "pages come from"),
        ("mailto:x", "pages come from"),
        ("\xff\xfe:\xff", "answered 404"),
        (" ", "answered 302"),
    ],
)
def test_a_redirect_to_no_address_costs_one_page(host: Host, store: PageStore, address: str, words: str) -> None:
    host.serve("/odd.html", Reply(status=302, headers={"Location": address}))
    for path in ("/a.html", "/b.html", "/c.html"):
        host.serve(path, Reply(page(path)))
    report = synced(host, store, "/a.html", "/odd.html", "/b.html", "/c.html")
    assert [result.state for result in report.results if result.title != "odd.html"] == [PageState.FETCHED] * 3
    assert report.results[1].state in (PageState.REJECTED, PageState.GONE)
    assert words in report.results[1].reason


def test_addresses_with_letters_beyond_ascii_are_asked_for_as_browsers_do(host: Host, store: PageStore) -> None:
    host.serve(
        "/old.html", Reply(status=301, headers={"Location": "/p\u00e4ge one.html"})
    )  # a header's bytes are Latin-1
    host.serve("/p%E4ge%20one.html", Reply(page("Page")))
    host.serve("/sch%C3%B6n.html", Reply(page("Sch\u00f6n")))
    assert synced(host, store, "/old.html", "/sch\u00f6n.html").on_disk == 2


@pytest.mark.parametrize("headers", [{"Content-Length": "\xb2"}, {"Retry-After": "\xb2"}], ids=["length", "patience"])
def test_numbers_that_are_none_are_not_read(host: Host, store: PageStore, headers: dict[str, str]) -> None:
    status = 503 if "Retry-After" in headers else 200
    host.serve("/a.html", Reply(page("A"), status, headers), Reply(page("A")))
    assert synced(host, store, "/a.html").incomplete is False


def test_robots_beyond_ascii_are_honoured(host: Host, store: PageStore) -> None:
    host.serve("/robots.txt", Reply("User-agent: *\nDisallow: /sch\u00f6n\n".encode()))
    host.serve("/a.html", Reply(page("A")))
    states = [result.state for result in synced(host, store, "/a.html", "/sch\u00f6n.html").results]
    assert states == [PageState.FETCHED, PageState.FORBIDDEN]


def test_robots_that_cannot_be_understood_are_said(host: Host, store: PageStore) -> None:
    host.serve("/robots.txt", Reply("User-agent: *\nCrawl-delay: \u00b2\n".encode()))
    with pytest.raises(UnavailableError, match=r"its robots\.txt cannot be understood"):
        synced(host, store, "/a.html")


def test_a_redirect_is_a_request_like_any_other(host: Host, store: PageStore) -> None:
    """Not to what robots.txt excludes, and not before the gap is over."""
    host.serve("/a.html", Reply(status=302, headers={"Location": "/private/a.html"}))
    host.serve("/b.html", Reply(status=302, headers={"Location": "/c.html"}))
    host.serve("/c.html", Reply(page("C")))
    report = synced(host, store, "/a.html", "/b.html", options=replace(FAST, gap_s=0.2))
    assert [result.state for result in report.results] == [PageState.REJECTED, PageState.FETCHED]
    assert report.results[0].reason.endswith("which robots.txt of the host asks not to fetch")
    assert host.asked("/private/a.html") == []
    starts = [request.at for request in host.requests]
    assert all(later - earlier > 0.1 for earlier, later in pairwise(starts))


def test_robots_that_have_moved_are_read(host: Host, store: PageStore) -> None:
    host.serve("/robots.txt", Reply(status=301, headers={"Location": "/other.txt"}))
    host.serve("/other.txt", Reply(b"User-agent: *\nDisallow: /a.html\n"))
    assert synced(host, store, "/a.html").results[0].state is PageState.FORBIDDEN


def test_a_host_that_asks_for_a_long_pause_gets_it(host: Host, store: PageStore) -> None:
    paths = [f"/{number}.html" for number in range(12)]
    for path in paths:
        host.serve(path, Reply(b"x", 429, {"Retry-After": "7200"}))
    report = synced(host, store, *paths, options=replace(FAST, gap_s=0.05))
    assert report.incomplete
    assert len(host.requests) <= 3, "robots.txt and one page of each thread"
    assert report.results[-1].state is PageState.NOT_TRIED
    assert report.results[-1].reason == "the host asks to come again in 7200 s"


def test_a_short_pause_is_kept_by_both_threads(host: Host, store: PageStore) -> None:
    paths = [f"/{number}.html" for number in range(30)]
    for path in paths:
        host.serve(path, Reply(page(path)))
    host.serve(paths[0], Reply(b"x", 503, {"Retry-After": "1"}), Reply(page("0")))
    assert synced(host, store, *paths, options=replace(FAST, gap_s=0.05)).on_disk == 30
    starts = [request.at for request in host.requests]
    assert max(later - earlier for earlier, later in pairwise(starts)) > 0.8


def test_a_pause_may_be_given_as_a_date(host: Host) -> None:
    from datetime import UTC, datetime, timedelta

    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    host.serve("/a.html", Reply(b"x", 503, {"Retry-After": soon}))
    answer = Client(host.address, AGENT).get(f"{host.address}/a.html")
    assert not isinstance(answer, Fetched)
    assert 90 <= getattr(answer, "wait_s", 0) <= 100


def test_what_ends_a_thread_is_raised_by_who_waits(
    host: Host, store: PageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours ends a sync with its own name, not with a page that is missing in a table."""
    host.serve("/a.html", Reply(page("A")))

    def broken(*_: object) -> None:
        raise LookupError("a fault of ours")

    monkeypatch.setattr(PageStore, "write", broken)
    with pytest.raises(LookupError, match="a fault of ours"):
        synced(host, store, "/a.html", "/b.html")


def test_a_listener_that_cannot_be_told_is_no_full_disk(host: Host, store: PageStore) -> None:
    host.serve("/a.html", Reply(page("A")))

    def closed(_: PageResult) -> None:
        raise BrokenPipeError("the terminal is gone")

    with pytest.raises(BrokenPipeError):
        sync(store, manifest_of(host, "/a.html"), AGENT, FAST, closed)


def test_an_address_that_is_listed_twice_is_asked_for_once(host: Host, store: PageStore) -> None:
    host.serve("/a.html", Reply(page("A")))
    assert synced(host, store, "/a.html", "/a.html").on_disk == 1
    assert len(host.asked("/a.html")) == 1


def test_only_one_sync_at_a_time(host: Host, store: PageStore) -> None:
    store.folder.mkdir()
    with (
        file_lock(store.folder / ".lock", 0.0),
        pytest.raises(UnavailableError, match=r"process \d+ fetches pages into"),
    ):
        synced(host, store, "/a.html")
    assert host.requests == []
    host.serve("/a.html", Reply(page("A")))
    assert synced(host, store, "/a.html").on_disk == 1


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_asked(host: Host, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="cannot be written"):
        synced(host, PageStore(tmp_path / "file" / "web"), "/a.html")
    assert host.requests == []


def test_a_stop_ends_every_wait() -> None:
    from warpwright.knowledge.documents.sync.pace import Pace

    pace = Pace(60.0)
    assert pace.wait_for_turn()
    pace.stop()
    started = time.monotonic()
    assert not pace.wait_for_turn()
    assert not pace.wait(60.0)
    assert time.monotonic() - started < 1.0
