"""From ids, anchors and titles to sections."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from warpwright.knowledge.books import books
from warpwright.knowledge.citation import Citation, Reference

_COLUMNS: Final = (
    "s.id, s.ref, s.anchor, s.title, s.path, s.ordinal, s.parent, p.id, p.document, p.version, p.url, p.local_path,"
    " p.fetched_at"
)
_FROM: Final = "FROM section s JOIN page p ON p.id = s.page"
_WORDS: Final = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a section is. section, page: rows."""

    section: int
    page: int
    ordinal: int
    parent: int | None
    title: str
    fetched_at: float | None
    citation: Citation

    @classmethod
    def of(cls, connection: sqlite3.Connection, section: int) -> Self:
        """Of a row that exists."""
        return cls._made(connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE s.id = ?", (section,)).fetchone())

    @classmethod
    def where(cls, connection: sqlite3.Connection, condition: str, values: Sequence[object]) -> list[Self]:
        """Every section that fulfils a condition over `s` and `p`, in the order of pages."""
        rows = connection.execute(
            f"SELECT {_COLUMNS} {_FROM} WHERE {condition} ORDER BY p.local_path, s.ordinal", values
        )
        return [cls._made(row) for row in rows]

    @classmethod
    def _made(cls, row: tuple[Any, ...]) -> Self:
        section, ref, anchor, title, path, ordinal, parent, page, document, version, url, local, fetched = row
        where = f"{path} > {title}" if path else title
        pdf = anchor.startswith("page=") and local.lower().endswith(".pdf")
        linked = url is not None and (not pdf or url.endswith(".pdf"))  # pages of a PDF are no anchors of its HTML form
        address = (f"{url}#{anchor}" if anchor else url) if linked else None
        file = f"{local} p.{anchor.removeprefix('page=')}" if pdf else local
        return cls(
            section, page, ordinal, parent, title, fetched, Citation(ref, document, where, version, address, file)
        )


def by_id(connection: sqlite3.Connection, identity: str) -> Place | None:
    """The section that an id names, by its own anchor or one that moved."""
    found = Place.where(connection, "s.ref = ?", (identity,))
    if found:
        return found[0]
    book, _, anchor = identity.partition("#")
    return _by_anchor(connection, book, anchor, page=None)


def by_reference(connection: sqlite3.Connection, reference: Reference) -> Place | None:
    """By anchor, alias, or title in the book.

    An anchor wins only where its title agrees or no section has the title: generators number equal anchors anew.
    """
    book = books().get(reference.book)
    section = book.section(reference.anchor) if book else None
    anchors = [reference.anchor, *(section.aliases if section else ())]
    page = section.page if section else None
    places = [p for p in (_by_anchor(connection, reference.book, a, page) for a in anchors) if p is not None]
    wanted = _words(reference.section)
    named = [p for p in places if _words(p.title) == wanted] or list(_titled(connection, reference.book, wanted))
    return next(iter([*named, *places]), None)


def neighbours(connection: sqlite3.Connection, place: Place) -> tuple[str | None, str | None, str | None]:
    """Ids of the section before, the one after and the one above, on the same page."""

    def at(condition: str, value: int | None) -> str | None:
        row = connection.execute(
            f"SELECT ref FROM section WHERE page = ? AND {condition}", (place.page, value)
        ).fetchone()
        return row[0] if row else None

    return at("ordinal = ?", place.ordinal - 1), at("ordinal = ?", place.ordinal + 1), at("id = ?", place.parent)


def _by_anchor(connection: sqlite3.Connection, book: str, anchor: str, page: str | None) -> Place | None:
    found = Place.where(connection, "p.book = ? AND s.anchor = ?", (book, anchor)) if anchor else []
    if anchor and not found:
        aliased = "p.book = ? AND s.id IN (SELECT section FROM anchor_alias WHERE alias = ?)"
        found = Place.where(connection, aliased, (book, anchor))
    if page is not None:
        found = [p for p in found if (p.citation.url or "").split("#")[0].endswith(page)] or found
    return found[0] if found else None


def _titled(connection: sqlite3.Connection, book: str, words: tuple[str, ...]) -> Iterator[Place]:
    if words:
        yield from (p for p in Place.where(connection, "p.book = ?", (book,)) if _words(p.title) == words)


def _words(title: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(title.lower()))
