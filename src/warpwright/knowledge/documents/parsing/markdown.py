"""Markdown and plain text to sections."""

import re
from typing import Final

from warpwright.knowledge.documents.parsing.document import (
    Block,
    BlockKind,
    ParsedPage,
    ParsedSection,
    slug,
    split_number,
    squeeze,
)

_HEADING: Final = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE: Final = re.compile(r"^\s*(```+|~~~+)")
_RULE: Final = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_ANCHOR: Final = re.compile(r"<(?:a|span)\s+(?:id|name)=[\"']([^\"']+)[\"'][^>]*>(?:</(?:a|span)>)?|\{#([\w.:-]+)\}")
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_HTML: Final = re.compile(r"<!--.*?-->|</?[a-zA-Z][^>]*>", re.DOTALL)


def parse_markdown(text: str) -> ParsedPage:
    """Sections by `#` headings; anchors are made from titles the way documentation generators do."""
    reader = _Reader()
    for line in text.splitlines():
        reader.line(line)
    reader.close()
    title = next((section.title for section in reader.sections if section.title), "")
    return ParsedPage(title, tuple(s for s in reader.sections if s.title or s.blocks))


def parse_text(text: str) -> ParsedPage:
    """Plain text is one section of its paragraphs."""
    section = ParsedSection("", 1, "", "")
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.strip():
            section.blocks.append(Block(BlockKind.PROSE, squeeze(paragraph)))
    return ParsedPage("", (section,) if section.blocks else ())


class _Reader:
    """Line by line: fences keep their lines, tables become rows, the rest paragraphs."""

    def __init__(self) -> None:
        self.sections: list[ParsedSection] = []
        self._paragraph: list[str] = []
        self._code: list[str] = []
        self._fence: str | None = None
        self._head: list[str] | None = None
        self._labels: list[str] = []
        self._anchors: set[str] = set()

    def line(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self._fence is not None:
            if fence and fence[1].startswith(self._fence):
                self._end_code()
            else:
                self._code.append(line)
            return
        if fence:
            self._end_paragraph()
            self._fence = fence[1]
            return
        heading = _HEADING.match(line)
        if heading:
            self._end_paragraph()
            self._heading(len(heading[1]), heading[2])
        elif line.lstrip().startswith("|"):
            self._row(line)
        elif line.strip():
            self._head = None
            self._labels += [a or b for a, b in _ANCHOR.findall(line)] if _plain(line) == "" else []
            self._paragraph.append(line)
        else:
            self._end_paragraph()

    def close(self) -> None:
        self._end_paragraph()
        if self._fence is not None:
            self._end_code()  # a fence that the file never closes

    def _heading(self, level: int, text: str) -> None:
        named = [a or b for a, b in _ANCHOR.findall(text)]
        number, title = split_number(_plain(text))
        if not title:
            return
        own = slug(title)
        count = 1
        while own in self._anchors:
            count += 1
            own = f"{slug(title)}-{count}"
        anchor = named[0] if named else own
        self._anchors.add(anchor)
        aliases = [name for name in dict.fromkeys([*named, *self._labels]) if name != anchor]
        self._labels = []
        self.sections.append(ParsedSection(anchor, level, number, title, aliases))

    def _row(self, line: str) -> None:
        self._end_paragraph(keep_head=True)
        if _RULE.match(line):
            return
        cells = [_plain(cell) for cell in line.strip().strip("|").split("|")]
        if self._head is None:
            self._head = cells
            return
        named = len(self._head) == len(cells) and len(cells) > 2
        text = " | ".join(f"{h}: {t}" if named and h else t for h, t in zip(self._head, cells, strict=False))
        self._add(Block(BlockKind.ROW, text if len(self._head) >= len(cells) else " | ".join(cells)))

    def _end_paragraph(self, *, keep_head: bool = False) -> None:
        if not keep_head:
            self._head = None
        text = _plain(" ".join(self._paragraph))
        self._paragraph = []
        if text:
            self._labels = []
            self._add(Block(BlockKind.PROSE, text))

    def _end_code(self) -> None:
        if any(line.strip() for line in self._code):
            self._add(Block(BlockKind.CODE, "\n".join(self._code)))
        self._code, self._fence = [], None

    def _add(self, block: Block) -> None:
        if not self.sections:
            self.sections.append(ParsedSection("", 1, "", ""))
        self.sections[-1].blocks.append(block)


def _plain(text: str) -> str:
    """Without links, labels and tags."""
    return squeeze(_HTML.sub("", _ANCHOR.sub("", _LINK.sub(r"\1", text))))
