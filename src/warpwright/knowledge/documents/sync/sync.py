"""Brings the fetched pages up to date: politely, and so that a run that stops anywhere can be run again."""

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Final
from urllib.robotparser import RobotFileParser

from warpwright.errors import InfrastructureError, Interrupted, UnavailableError
from warpwright.isolation.file_lock import LockBusy, file_lock
from warpwright.knowledge.books import books
from warpwright.knowledge.documents.sync.content import rejection, titles_of
from warpwright.knowledge.documents.sync.fetch import Answer, Client, Failed, Fetched, Gone, NotModified, Refused
from warpwright.knowledge.documents.sync.manifest import Manifest, ManifestPage
from warpwright.knowledge.documents.sync.pace import Pace
from warpwright.knowledge.documents.sync.report import PageResult, PageState, SyncOptions, SyncReport
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
_LOCK: Final = ".lock"
_GIVE_UP: Final = 3
"""Pages in a row for which the host is not reached, after which the rest is not tried."""


def sync(
    store: PageStore, manifest: Manifest, agent: str, options: SyncOptions, said: Callable[[PageResult], None]
) -> SyncReport:
    """Fetch what is missing or old. Each page is whole on disk before the next is begun; nothing is ever deleted.

    agent: how we introduce ourselves, `warpwright/0.1.0`. said: told of every page as it is done.
    Raises: InputError for unknown books, UnavailableError if the host is not reached, wants no robots or another sync is under
    way, InfrastructureError if the disk is full, Interrupted on Ctrl-C; what was fetched until then is kept.
    """
    pages = manifest.selected(options.only, options.cuda)
    wanted = {manifest.url(page, options.cuda): page for page in pages}
    run = _Run(store, Client(manifest.host, agent, options.timeout_s), options)
    with _alone(store):
        run.read_robots(agent)
        return SyncReport(tuple(run.all(wanted, said)))


@contextmanager
def _alone(store: PageStore) -> Iterator[None]:
    """Two at once would write the same files and ask the host twice as often."""
    with ExitStack() as held:
        try:
            store.folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(file_lock(store.folder / _LOCK, 0.0))
        except LockBusy as busy:
            who = "another process" if busy.holder is None else f"process {busy.holder}"
            raise UnavailableError(f"{store.folder}: {who} fetches pages into it. Wait for its end.") from busy
        except OSError as error:
            raise InfrastructureError(
                f"{store.folder} cannot be written: {error.strerror or error}. Free space or set WARPWRIGHT_DOCS."
            ) from error
        yield


class _Run:
    """One sync: what its two threads share."""

    def __init__(self, store: PageStore, client: Client, options: SyncOptions) -> None:
        self._store = store
        self._client = client
        self._options = options
        self._pace = Pace(options.gap_s)
        self._lock = Lock()
        self._unreached = 0
        self._busy_host = ""
        self._robots = RobotFileParser()
        self._agent = ""

    def read_robots(self, agent: str) -> None:
        """Ask what may be fetched. Raises: UnavailableError if there is no answer to that."""
        self._agent = agent
        answer = self._get(f"{self._client.host}/robots.txt", None)
        match answer:
            case Fetched():
                self._obey(answer.content)
            case Gone():
                self._robots.parse(())
            case Failed() | Refused():
                raise UnavailableError(
                    f"{self._client.host}: {answer.reason}. Nothing was fetched; pages on this disk still serve. Run "
                    "`warpwright docs sync` where there is a network, or `docs add FOLDER` with a copy from elsewhere."
                )

    def _obey(self, robots: bytes) -> None:
        try:
            self._robots.parse(robots.decode("utf-8", errors="replace").splitlines())
        except ValueError as error:  # of the standard library, for digits that are no number
            raise UnavailableError(f"{self._client.host}: its robots.txt cannot be understood: {error}.") from error
        delay = self._robots.crawl_delay(self._agent)
        self._pace.slow_down(min(float(delay or 0), _LONGEST_WAIT_S))

    def all(self, wanted: Mapping[str, ManifestPage], said: Callable[[PageResult], None]) -> list[PageResult]:
        """Every page, two at a time. wanted: by address.

        The threads are daemons: Ctrl-C does not wait for a host that does not answer.
        """
        todo: _Todo = SimpleQueue()
        done: _Done = SimpleQueue()
        for item in wanted.items():
            todo.put(item)
        for number in range(_PARALLEL):
            Thread(target=self._work, args=(todo, done), name=f"docs-sync-{number}", daemon=True).start()
        try:
            results = _gathered(done, said)
        except _DiskFault as fault:
            error = fault.error
            raise InfrastructureError(
                f"{self._store.folder}: {error.strerror or error}. {self._kept(wanted)}; free space (or set "
                "WARPWRIGHT_DOCS) and run `warpwright docs sync` again: it goes on from there."
            ) from error
        except KeyboardInterrupt:
            raise Interrupted(f"{self._kept(wanted)}; `warpwright docs sync` goes on from there.") from None
        finally:
            self._pace.stop()
        return [results[url] for url in wanted]

    def _work(self, todo: "_Todo", done: "_Done") -> None:
        """One thread: pages until there are no more, then None."""
        try:
            while not todo.empty():
                done.put(self._page(*todo.get_nowait()))
        except Empty:
            return  # the other thread took the last one
        except BaseException as error:  # noqa: BLE001 - whatever ends a thread is raised by who waits for it
            done.put(error)
        finally:
            done.put(None)

    def _kept(self, wanted: Mapping[str, ManifestPage]) -> str:
        held = sum(self._store.note(url) is not None for url in wanted)
        return f"{held} of {len(wanted)} pages are on disk"

    def _page(self, url: str, page: ManifestPage) -> PageResult:
        try:
            note = self._store.note(url)
            if note is not None:
                note = self._store.filed(note, page.book)
            state, reason = self._brought(url, page, note)
        except OSError as error:  # the client answers for the network: what is left is the disk
            raise _DiskFault(error) from error
        kept = bool(reason) and note is not None
        return PageResult(url, page.title, state, f"{reason}, the copy is kept" if kept else reason, kept)

    def _brought(self, url: str, page: ManifestPage, note: PageNote | None) -> tuple[PageState, str]:
        if note is not None and time.time() - note.fetched_at < self._options.max_age_s and note.gone_at is None:
            return PageState.FRESH, ""
        if not self._robots.can_fetch(self._agent, url):
            return PageState.FORBIDDEN, "robots.txt of the host asks not to fetch it"
        if self._pace.stopped or self._unreached >= _GIVE_UP or self._busy_host:
            return PageState.NOT_TRIED, self._busy_host or "the host was not reached for the pages before"
        return self._settled(url, page, note, self._get(url, note))

    def _settled(self, url: str, page: ManifestPage, note: PageNote | None, answer: Answer) -> tuple[PageState, str]:
        """What an answer means for the copy at hand. Raises: OSError."""
        match answer:
            case NotModified() if note is not None:
                self._store.confirm(note)
                outcome = PageState.UNCHANGED, ""
            case NotModified():
                outcome = PageState.FAILED, "the host answered 304 to a page that is not here"
            case Fetched():
                outcome = self._kept_or_rejected(url, page, note, answer)
            case Gone():
                if note is not None:
                    self._store.gone(note)
                outcome = PageState.GONE, f"the host answered {answer.status}"
            case Refused():
                outcome = PageState.REJECTED, answer.reason
            case Failed():
                outcome = PageState.FAILED, answer.reason
        return outcome

    def _kept_or_rejected(
        self, url: str, page: ManifestPage, note: PageNote | None, answer: Fetched
    ) -> tuple[PageState, str]:
        book = books().get(page.book)
        titles = [page.title, *((book.title, *book.aliases) if book else ())]
        titles += titles_of(url, self._store.content(note)) if note else ()
        reason = rejection(url, answer.content, titles)
        if reason is not None:
            return PageState.REJECTED, reason
        sha256 = hashlib.sha256(answer.content).hexdigest()
        taken = PageNote(url, sha256, time.time(), 200, answer.etag, answer.last_modified, book=page.book)
        self._store.write(taken, answer.content)
        return PageState.FETCHED, ""

    def _get(self, url: str, note: PageNote | None) -> Answer:
        """Ask, and ask again later if that may help."""
        answer: Answer = Failed("stopped")
        known = (note.etag, note.last_modified) if note else (None, None)
        for attempt in range(_TRIES):
            if not self._pace.wait_for_turn():
                break
            answer = self._client.get(url, *known, self._may_follow)
            if not isinstance(answer, Failed):
                self._unreached = 0
                return answer
            _logger.info("%s: %s (try %d of %d)", url, answer.reason, attempt + 1, _TRIES)
            if not self._give_it_time(answer, attempt) or attempt + 1 == _TRIES:
                break
        with self._lock:
            self._unreached += isinstance(answer, Failed) and answer.network
        return answer

    def _give_it_time(self, answer: Failed, attempt: int) -> bool:
        """Wait before the next try; a host that says how long is left alone by all. False: too long to wait for."""
        if answer.wait_s is None:
            return self._pace.wait(self._pace.gap_s * 2**attempt)
        if answer.wait_s > _LONGEST_WAIT_S:
            self._busy_host = f"the host asks to come again in {answer.wait_s:.0f} s"
            return False
        self._pace.hold_off(answer.wait_s)
        return True

    def _may_follow(self, url: str) -> bool:
        """Where a redirect leads is a request like any other: not against robots.txt, and after the gap."""
        allowed = not self._robots.mtime() or self._robots.can_fetch(self._agent, url)
        return allowed and self._pace.wait_for_turn()


_Todo = SimpleQueue[tuple[str, ManifestPage]]
"""Addresses and pages that wait for a thread."""
_Done = SimpleQueue[PageResult | BaseException | None]
"""Pages as they are done, what ended a thread early, and None from each thread at its end."""


class _DiskFault(Exception):
    """A page cannot be read or written here."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


def _gathered(done: _Done, said: Callable[[PageResult], None]) -> dict[str, PageResult]:
    """Results by address, once every thread has ended. Raises: what ended a thread, as soon as it is there."""
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
                said(item)
            case BaseException():
                raise item
            case None:
                running -= 1
    return results
