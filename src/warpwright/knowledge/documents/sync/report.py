"""What is asked of a sync, and what became of each page."""

from dataclasses import dataclass
from enum import StrEnum


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
    """reason: why the page was not taken, "" if it was. kept: a copy from before is there. FRESH: too young to be asked for."""

    url: str
    title: str
    state: PageState
    reason: str = ""
    kept: bool = False


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
    def kept(self) -> int:
        """Pages of which a copy from before is there, and was not brought up to date."""
        return sum(result.kept for result in self.results)

    @property
    def incomplete(self) -> bool:
        """Whether running again may bring more."""
        return any(result.state in (PageState.FAILED, PageState.NOT_TRIED) for result in self.results)
