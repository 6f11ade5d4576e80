"""Brings the fetched pages up to date: politely, and so that a run that stops anywhere can be run again."""

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Final
from urllib.robotparser import RobotFileParser

from warpwright.errors import InfrastructureError, Interrupted, UnavailableError
from warpwright.knowledge.documents.sync.content import rejection
from warpwright.knowledge.documents.sync.fetch import Answer, Client, Failed, Fetched, Gone, NotModified, Refused
from warpwright.knowledge.documents.sync.manifest import Manifest
from warpwright.knowledge.documents.sync.store import PageNote, PageStore

_logger = logging.getLogger(__name__)
NOTICE: Final = (
    "The pages are NVIDIA's text, under NVIDIA's licence, kept here for your own use; Warpwright ships none of it."
)
_PARALLEL: Final = 2
_TRIES: Final = 3
_LONGEST_WAIT_S: Final = 60.0
_LOOK_S: Final = 0.2
"""Between looks for Ctrl-C: on Windows a wait without an end cannot be interrupted."""
_GIVE_UP: Final = 3
"""Pages in a row for which the host is not reached, after which the rest is not tried."""


class PageState(StrEnum):
    """What became of a page."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    FRESH = "fresh"
    GONE = "gone"
    REJECTED = "rejected"
    FORBIDDEN = "forbidden"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class PageResult:
    """reason: why the page was not taken, "" if it was. FRESH: young enough not to be asked for."""

    url: str
    title: str
    state: PageState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """only: keys of books, () = all. cuda: release, None = the newest. max_age_s: younger pages are not asked for.

    gap_s: least time between the starts of two requests; a longer one that robots.txt asks for is kept, up to a minute.
    """

    only: tuple[str, ...] = ()
    cuda: str | None = None
    max_age_s: float = 30 * 86400.0
    gap_s: float = 0.5
    timeout_s: float = 30.0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Results in the order of the manifest."""

    results: tuple[PageResult, ...]

    def count(self, state: PageState) -> int:
        """Pages in a state."""
        return sum(result.state is state for result in self.results)

    @property
    def on_disk(self) -> int:
        """Pages that are there and current."""
        return sum(map(self.count, (PageState.FETCHED, PageState.UNCHANGED, PageState.FRESH)))

    @property
    def incomplete(self) -> bool:
        """Whether running again may bring more."""
        return any(result.state in (PageState.FAILED, PageState.NOT_TRIED) for result in self.results)


def sync(
    store: PageStore, manifest: Manifest, agent: str, options: SyncOptions, said: Callable[[PageResult], None]
) -> SyncReport:
    """Fetch what is missing or old. Each page is whole on disk before the next is begun; nothing is ever deleted.

    agent: how we introduce ourselves, `warpwright/0.1.0`. said: told of every page as it is done, from other threads.
    Raises: InputError for unknown books, UnavailableError if the host is not reached or wants no robots, InfrastructureError
    if the disk is full, Interrupted on Ctrl-C; what was fetched until then is kept.
    """
    pages = manifest.selected(options.only, options.cuda)
    client = Client(manifest.host, agent, options.timeout_s)
    run = _Run(store, client, options, said)
    run.read_robots(agent)
    wanted = [(manifest.url(page, options.cuda), page.title) for page in pages]
    return SyncReport(tuple(run.all(wanted)))


class _Run:
    """One sync: what its two threads share."""

    def __init__(
        self, store: PageStore, client: Client, options: SyncOptions, said: Callable[[PageResult], None]
    ) -> None:
        self._store = store
        self._client = client
        self._options = options
        self._said = said
        self._stop = Event()
        self._lock = Lock()
        self._next_start = 0.0
        self._gap_s = options.gap_s
        self._unreached = 0
        self._robots = RobotFileParser()
        self._agent = ""

    def read_robots(self, agent: str) -> None:
        """Ask what may be fetched. Raises: UnavailableError if there is no answer to that."""
        self._agent = agent
        answer = self._get(f"{self._client.host}/robots.txt", None)
        match answer:
            case Fetched():
                self._robots.parse(answer.content.decode("utf-8", errors="replace").splitlines())
                delay = self._robots.crawl_delay(agent)
                self._gap_s = max(self._gap_s, min(float(delay or 0), _LONGEST_WAIT_S))
            case Gone():
                self._robots.parse(())
            case Failed() | Refused():
                raise UnavailableError(
                    f"{self._client.host}: {answer.reason}. Nothing was fetched; pages on this disk still serve. Run "
                    "`warpwright docs sync` where there is a network, or `docs add FOLDER` with a copy from elsewhere."
                )

    def all(self, wanted: Sequence[tuple[str, str]]) -> list[PageResult]:
        """Every page, two at a time. The threads are daemons: Ctrl-C does not wait for a host that does not answer."""
        todo: SimpleQueue[tuple[str, str]] = SimpleQueue()
        done: SimpleQueue[PageResult | OSError | None] = SimpleQueue()
        for item in wanted:
            todo.put(item)
        for number in range(_PARALLEL):
            Thread(target=self._work, args=(todo, done), name=f"docs-sync-{number}", daemon=True).start()
        try:
            results = _gathered(done)
        except OSError as error:
            raise InfrastructureError(
                f"{self._store.folder}: {error.strerror or error}. {self._kept(wanted)}; free space (or set "
                "WARPWRIGHT_DOCS) and run `warpwright docs sync` again: it goes on from there."
            ) from error
        except KeyboardInterrupt:
            raise Interrupted(f"{self._kept(wanted)}; `warpwright docs sync` goes on from there.") from None
        finally:
            self._stop.set()
        return [results[url] for url, _ in wanted]

    def _work(self, todo: SimpleQueue[tuple[str, str]], done: SimpleQueue[PageResult | OSError | None]) -> None:
        """One thread: pages until there are no more, then None."""
        try:
            while not todo.empty():
                done.put(self._page(*todo.get_nowait()))
        except Empty:
            return  # the other thread took the last one
        except OSError as error:
            done.put(error)
        finally:
            done.put(None)

    def _kept(self, wanted: Sequence[tuple[str, str]]) -> str:
        held = sum(self._store.note(url) is not None for url, _ in wanted)
        return f"{held} of {len(wanted)} pages are on disk"

    def _page(self, url: str, title: str) -> PageResult:
        state, reason = self._brought(url)
        result = PageResult(url, title, state, reason)
        self._said(result)
        return result

    def _brought(self, url: str) -> tuple[PageState, str]:
        note = self._store.note(url)
        if note is not None and time.time() - note.fetched_at < self._options.max_age_s and note.gone_at is None:
            return PageState.FRESH, ""
        if not self._robots.can_fetch(self._agent, url):
            return PageState.FORBIDDEN, "robots.txt of the host asks not to fetch it"
        if self._stop.is_set() or self._unreached >= _GIVE_UP:
            return PageState.NOT_TRIED, "the host was not reached for the pages before"
        return self._settled(url, note, self._get(url, note))

    def _settled(self, url: str, note: PageNote | None, answer: Answer) -> tuple[PageState, str]:
        """What an answer means for the copy at hand. Raises: OSError."""
        match answer:
            case NotModified() if note is not None:
                self._store.confirm(note)
                outcome = PageState.UNCHANGED, ""
            case NotModified():
                outcome = PageState.FAILED, "the host answered 304 to a page that is not here"
            case Fetched():
                outcome = self._kept_or_rejected(url, answer)
            case Gone():
                if note is not None:
                    self._store.gone(note)
                outcome = PageState.GONE, f"the host answered {answer.status}" + (", the copy is kept" if note else "")
            case Refused():
                outcome = PageState.REJECTED, answer.reason
            case Failed():
                outcome = PageState.FAILED, answer.reason
        return outcome

    def _kept_or_rejected(self, url: str, answer: Fetched) -> tuple[PageState, str]:
        reason = rejection(url, answer.content)
        if reason is not None:
            return PageState.REJECTED, reason
        sha256 = hashlib.sha256(answer.content).hexdigest()
        note = PageNote(url, sha256, time.time(), 200, answer.etag, answer.last_modified)
        self._store.write(note, answer.content)
        return PageState.FETCHED, ""

    def _get(self, url: str, note: PageNote | None) -> Answer:
        """Ask, and ask again later if that may help."""
        answer: Answer = Failed("stopped")
        for attempt in range(_TRIES):
            if not self._wait_for_turn():
                break
            answer = self._client.get(url, note.etag if note else None, note.last_modified if note else None)
            if not isinstance(answer, Failed):
                self._unreached = 0
                return answer
            asked = answer.wait_s if answer.wait_s is not None else self._gap_s * 2**attempt
            _logger.info("%s: %s (try %d of %d)", url, answer.reason, attempt + 1, _TRIES)
            if asked > _LONGEST_WAIT_S or attempt + 1 == _TRIES or self._stop.wait(asked):
                break
        with self._lock:
            self._unreached += isinstance(answer, Failed) and answer.network
        return answer

    def _wait_for_turn(self) -> bool:
        """Wait until a request may start; False if the run was stopped."""
        with self._lock:
            start = max(time.monotonic(), self._next_start)
            self._next_start = start + self._gap_s
        return not self._stop.wait(max(0.0, start - time.monotonic()))


def _gathered(done: SimpleQueue[PageResult | OSError | None]) -> dict[str, PageResult]:
    """Results by address, once every thread has ended. Raises: the OSError of a thread, as soon as it is there."""
    results: dict[str, PageResult] = {}
    running = _PARALLEL
    while running:
        try:
            item = done.get(timeout=_LOOK_S)
        except Empty:
            continue
        match item:
            case PageResult():
                results[item.url] = item
            case OSError():
                raise item
            case None:
                running -= 1
    return results
