"""What is indexed, from where, how old."""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

STALE_DAYS: Final = 30
"""Days after which fetched pages are called stale. They are still used: nothing is fetched unasked."""


@dataclass(frozen=True, slots=True)
class BookStatus:
    """A document in the index. oldest_days: age of its oldest page, None for what was not fetched. gone: pages now 404."""

    key: str
    title: str
    product: str | None
    version: str | None
    source: str
    pages: int
    sections: int
    oldest_days: float | None
    gone: int


@dataclass(frozen=True, slots=True)
class Status:
    """The index at a glance. rung: best source at hand. problem: why there is no index. bytes: size of its file."""

    rung: str
    problem: str | None
    path: Path
    bytes: int
    built_at: float | None
    books: tuple[BookStatus, ...]

    @property
    def stale(self) -> tuple[str, ...]:
        """Keys of books with pages fetched more than 30 days ago."""
        return tuple(b.key for b in self.books if b.oldest_days is not None and b.oldest_days > STALE_DAYS)

    def mismatches(self, installed: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Warnings where a document is of another version than the product installed here. installed: (product, version)."""
        return tuple(
            f"{book.title} is of {product} {book.version}, installed is {version}"
            for product, version in installed
            for book in self.books
            if book.product == product and book.version and not _same(book.version, version)
        )


def status_of(connection: sqlite3.Connection | None, path: Path, rung: str, problem: str | None) -> Status:
    """Of an index; without one, an empty status with the reason."""
    if connection is None:
        return Status(rung, problem, path, 0, None, ())
    now = time.time()
    rows = connection.execute(
        "SELECT p.book, min(p.document), p.product, max(p.version), min(s.name), count(*), sum((SELECT count(*) FROM section"
        " WHERE page = p.id)), min(p.fetched_at), sum(p.gone_at IS NOT NULL) FROM page p JOIN source s ON s.id = p.source"
        " GROUP BY p.book ORDER BY p.book"
    )
    books = [
        BookStatus(key, title, product, version, source, pages, sections, _days_since(fetched, now), gone)
        for key, title, product, version, source, pages, sections, fetched, gone in rows
    ]
    built = connection.execute("SELECT value FROM meta WHERE key = 'built_at'").fetchone()
    return Status(rung, problem, path, path.stat().st_size, float(built[0]) if built else None, tuple(books))


def _days_since(moment: float | None, now: float) -> float | None:
    return None if moment is None else max(0.0, (now - moment) / 86400)


def _same(one: str, other: str) -> bool:
    """Versions agree as far as both go: 13.0 and 13.0.2."""
    return all(a == b for a, b in zip(one.split("."), other.split("."), strict=False))
