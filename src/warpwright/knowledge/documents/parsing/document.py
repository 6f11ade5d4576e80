"""What a file holds once it is read: sections of blocks."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

PARSER_VERSION = 3
"""Raised when a parser changes what it makes of the same bytes, or other pages are refused: all are then read again."""

_NUMBER = re.compile(r"^((?:\d+|[A-Z])(?:\.\d+)*\.|\d+(?:\.\d+)+)\s+(?=\S)")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SPACE = re.compile(r"\s+")


class BlockKind(StrEnum):
    """What a block is. Only prose may be cut."""

    PROSE = "prose"
    CODE = "code"
    ROW = "row"
    TERM = "term"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a listing, a table row or a defined term. caption: of the table or list that the row or term is in."""

    kind: BlockKind
    text: str
    caption: str = ""


@dataclass(slots=True)
class ParsedSection:
    """One heading and what follows it up to the next. number: `2.6.2`, not part of the title. level: 1 is the highest."""

    anchor: str
    level: int
    number: str
    title: str
    aliases: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything under the heading."""
        return "\n".join(block.text for block in self.blocks)


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A file. version: as the page itself states it, None if it does not."""

    title: str
    sections: tuple[ParsedSection, ...]
    version: str | None = None

    @property
    def characters(self) -> int:
        """Characters of text."""
        return sum(len(block.text) for section in self.sections for block in section.blocks)


def split_number(heading: str) -> tuple[str, str]:
    """Number and title of a heading: numbers move between releases, titles do not."""
    text = squeeze(heading)
    found = _NUMBER.match(text)
    return (found[1].rstrip("."), text[found.end() :]) if found else ("", text)


def squeeze(text: str) -> str:
    """Runs of white space as one space."""
    return _SPACE.sub(" ", text).strip()


def slug(title: str) -> str:
    """An anchor made from a title, the way documentation generators make it."""
    return _NOT_SLUG.sub("-", title.lower()).strip("-") or "section"
