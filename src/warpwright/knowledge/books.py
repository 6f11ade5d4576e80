"""NVIDIA's documents by short key, and the sections that the field guide refers to. Titles and addresses only."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Protocol

from warpwright.errors import WarpwrightError
from warpwright.knowledge.citation import Citation, Reference

_FILE = "books.toml"


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a book.

    anchor: part of the address after `#`. page: file under the book's address for a book of many pages, else None.
    aliases: further anchors of the same section, such as those of older editions.
    """

    anchor: str
    title: str
    page: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """One document.

    url: of the book: its only page, or the folder of its pages (ends with `/`). product: `cuda`, `nsight-compute`,
    `compute-sanitizer`. aliases: other titles and older addresses by which the same text is linked. sections: by anchor.
    """

    key: str
    title: str
    url: str
    product: str
    aliases: tuple[str, ...] = ()
    sections: Mapping[str, Section] = field(default_factory=dict)

    def section(self, anchor: str) -> Section | None:
        """The section that answers to an anchor, by its own or another of its anchors."""
        own = self.sections.get(anchor)
        return own or next((section for section in self.sections.values() if anchor in section.aliases), None)

    def address(self, anchor: str) -> str:
        """URL of a section; an anchor that is not listed is looked for on the book's own page."""
        section = self.section(anchor)
        page = "" if section is None or section.page is None else section.page
        return f"{self.url}{page}#{anchor if section is None else section.anchor}"


class SectionFinder(Protocol):
    """What knows where a section lies: an index over documents."""

    def cite(self, reference: Reference) -> Citation | None:
        """The section as the index has it; None if it is not there."""
        ...


@cache
def books() -> Mapping[str, Book]:
    """Every book by its key, in the order of `books.toml`."""
    text = (files("warpwright.knowledge") / _FILE).read_text(encoding="utf-8")
    return MappingProxyType({key: _book(key, row) for key, row in tomllib.loads(text).items()})


def reference(identity: str) -> Reference:
    """The section that `bpg#coalesced-access-to-global-memory` names.

    Raises: WarpwrightError for a book or section that `books.toml` does not list.
    """
    key, _, anchor = identity.partition("#")
    book = books().get(key)
    if book is None:
        raise WarpwrightError(f"{identity!r}: no book {key!r} in {_FILE}; known: {', '.join(books())}.")
    section = book.section(anchor)
    if section is None:
        raise WarpwrightError(f"{identity!r}: {_FILE} lists no section {anchor!r} in [{key}]; add it there.")
    return Reference(book=key, section=section.title, anchor=section.anchor)


def cite(reference: Reference) -> Citation:
    """A section by its public address, for when no index knows it. Its version is unknown."""
    book = books()[reference.book]
    return Citation(id=reference.id, document=book.title, section=reference.section, url=book.address(reference.anchor))


def _book(key: str, row: dict[str, Any]) -> Book:
    sections = {
        anchor: Section(
            anchor=anchor,
            title=entry["title"],
            page=entry.get("page"),
            aliases=tuple(entry.get("aliases", ())),
        )
        for anchor, entry in row.get("sections", {}).items()
    }
    aliases = tuple(row.get("aliases", ()))
    return Book(key, row["title"], row["url"], row["product"], aliases, MappingProxyType(sections))
