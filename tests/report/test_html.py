import re
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from warpwright.evaluation.outcome import Outcome
from warpwright.record.session import Session
from warpwright.report.html import render_report, write_report

VOID = {"meta"}


class Page(HTMLParser):
    """Text, attributes and tag balance of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text = f"{self.text} {' '.join(data.split())}".strip()


@pytest.fixture
def page(session: Session) -> Page:
    return Page(render_report(session))


def test_one_file_that_asks_for_nothing_else(session: Session) -> None:
    path = write_report(session)
    assert path == session.directory / "report.html"
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "use"} & set(page.tags)
    targets = [value for name, value in page.attributes if name in ("src", "href", "action", "data")]
    assert all(target is not None and target.startswith(("#attempt-", "#limits")) for target in targets)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    assert not re.search(r"url\(|@import|https?:", style[1])
    assert "default-src 'none'" in text


def test_every_tag_is_closed(page: Page) -> None:
    assert page.open == []


def test_the_result_and_where_times_come_from(page: Page) -> None:
    for words in (
        "softmax: 19.86x as fast (estimated)",
        "Times are estimates of an NVIDIA H200 (uncertain by 15 %), not measurements.",
        "est. 431 us initial kernel",
        "est. 21.7 us best kernel (attempt 11)",
        "18 % of the physical floor",
        "19.86x worst case: rows512",
        "gpu_long only on a GPU perf not run",
        "attempt 11 passed : passed hidden cases with fresh seeds",
        "Stopped budget: 12 of 12 attempts used",
        "12 attempts and 3 tuning points: 3 improved, 2 tie, 1 passed, 1 compile_error,",
        "Passing the given cases is no general proof.",
        "warpwright evaluate workload --kernel best --device emulator:h200",
    ):
        assert words in page.text


def test_every_failure_says_why(page: Page, session: Session) -> None:
    failed = [a for a in session.attempts() if not a.evaluation.outcome.correct]
    assert len(failed) == 5
    for attempt in failed:
        assert attempt.evaluation.label in page.text
        assert f"Why it failed. {' '.join(attempt.evaluation.message.split())}" in page.text
    assert "[0, 72] nan 0.013" in page.text


def test_expectations_stand_beside_what_the_counters_did(page: Page) -> None:
    assert "global_load_sectors" in page.text
    assert "0.20x 0.13x as expected" in page.text
    assert "0.20x 1.00x did not move" in page.text
    assert "0.20x - unknown" in page.text


def test_the_diff_shows_both_sides(page: Page) -> None:
    assert "8 - for (int c = 1; c < cols; ++c) top = fmaxf(top, in[c]);" in page.text
    assert "9 + for (int c = lane; c < cols; c += 32) top = fmaxf(top, in[c]);" in page.text


def test_sources_are_text_not_markup(session: Session) -> None:
    page = render_report(session)
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#34;&amp;&#34;)&lt;/script&gt;" in page


def test_an_empty_session_has_a_report(begin: Callable[[], Session]) -> None:
    page = Page(render_report(begin()))
    assert "No attempt is finished yet." in page.text
    assert "The session has not ended." in page.text
    assert page.open == []


def test_a_session_without_a_winner_says_so(begin: Callable[[], Session], fill: Callable[..., None]) -> None:
    session = begin()
    fill(session, (("", Outcome.WRONG_RESULT, "mismatch", None, "y is wrong"),))
    page = Page(render_report(session))
    assert "softmax: no candidate has passed" in page.text
    assert "The best kernel" not in page.text
    assert "--kernel best" not in page.text
    assert page.open == []


def test_another_place(session: Session, tmp_path: Path) -> None:
    assert write_report(session, tmp_path / "mine.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_two_hundred_attempts_in_two_seconds(begin: Callable[[], Session], fill: Callable[..., None]) -> None:
    session = begin()
    rows = [("", Outcome.PASSED, None, 431.0, "passed")]
    rows += [("unroll", Outcome.IMPROVED, None, 400.0 - n, "better") for n in range(120)]
    rows += [("tuned", Outcome.SLOWER, None, 500.0 + n, "slower") for n in range(79)]
    fill(session, tuple(rows), promote=False)
    started = time.perf_counter()
    text = render_report(session)
    assert time.perf_counter() - started < 2.0
    assert len(text) < 1_000_000
    assert text.count('class="attempt ') == 200
