"""HTML to sections, in the shapes that NVIDIA's documents have had: `section[id]`, `div[id]`, ids on headings."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from warpwright.knowledge.documents.parsing.document import (
    Block,
    BlockKind,
    ParsedPage,
    ParsedSection,
    slug,
    split_number,
    squeeze,
)

_BODY: Final = ('[itemprop="articleBody"]', "article", '[role="main"]', "main", "div.body", "body")
"""Where the document is on the page, the most certain first; what is outside is navigation."""
_SKIPPED_TAGS: Final = "script style nav footer header aside button svg noscript template form iframe colgroup -comment"
_SKIPPED: Final = frozenset(_SKIPPED_TAGS.split())
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_INLINE_TAGS: Final = (
    "a abbr b bdi big br cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup tt u "
    "var wbr"
)
_INLINE: Final = frozenset(_INLINE_TAGS.split())
_PERMALINKS: Final = ("a.headerlink", "a.anchor-link", "a.permalink", ".copybtn")
_DEPTH: Final = 120
"""Elements nested deeper are taken as plain text: real pages need a third of it, hostile ones would exhaust the stack."""
_VERSION: Final = re.compile(r"(?:\bv|\bRelease |\s)(\d+\.\d+(?:\.\d+)?)(?:\s+documentation)?\s*$")
_STATED: Final = re.compile(r"^v(\d+\.\d+(?:\.\d+)?)(?: \||$)")
_FIRST_ITEMS: Final = 1000
"""List items among which the version stands (`v13.0 | PDF | Archive`, above the contents)."""


def parse_html(text: str) -> ParsedPage:
    """Sections of a page, in its order. A page without headings is one section."""
    tree = LexborHTMLParser(text)
    title = tree.css_first("title")
    name = squeeze(title.text()) if title else ""
    version = _version(tree, name)
    body = next((node for node in map(tree.css_first, _BODY) if node is not None), None)
    walker = _Walker()
    if body is not None:
        for selector in _PERMALINKS:
            for node in body.css(selector):
                node.decompose()
        walker.walk(body, 0)
        walker.flush()
    first = next((section.title for section in walker.sections if section.title), "")
    return ParsedPage(first or split_number(name.split(" — ")[0])[1], walker.finished(), version)


def _version(tree: LexborHTMLParser, title: str) -> str | None:
    """`Guide — Product 12.4 documentation`, or the version that the page shows above its contents."""
    found = _VERSION.search(title)
    if found:
        return found[1]
    for node in tree.css("li, div.version, p.version")[:_FIRST_ITEMS]:
        stated = _STATED.match(squeeze(node.text()))
        if stated:
            return stated[1]
    return None


class _Walker:
    """Goes through the body in document order; text is collected until something block-like ends it."""

    def __init__(self) -> None:
        self.sections: list[ParsedSection] = []
        self._text: list[str] = []
        self._ids: list[tuple[str, bool]] = []  # seen since the last text: (id, of a section or div)

    def finished(self) -> tuple[ParsedSection, ...]:
        return tuple(section for section in self.sections if section.title or section.blocks)

    def walk(self, node: LexborNode, depth: int) -> None:
        for child in node.iter(include_text=True):
            tag = child.tag or ""
            if tag == "-text":
                self._text.append(child.text(deep=False) or "")
            elif tag in _SKIPPED:
                continue
            elif depth > _DEPTH:
                self._text.append(child.text())
            else:
                self._element(child, tag, depth)

    def flush(self) -> None:
        """The paragraph collected so far becomes a block."""
        text = squeeze("".join(self._text))
        self._text.clear()
        if text:
            self._add(Block(BlockKind.PROSE, text))

    def _element(self, node: LexborNode, tag: str, depth: int) -> None:
        if tag in _INLINE:
            self._remember(node)
            if tag in ("span", "a"):
                self.walk(node, depth + 1)
            else:
                self._text.append(" " if tag == "br" else node.text())
            return
        self.flush()
        if tag in _HEADINGS:
            self._heading(node, _HEADINGS[tag])
        elif tag == "pre":
            self._code(node)
        elif tag == "table" and not node.css_first("h1, h2, h3, h4, h5, h6"):
            self._table(node)
        elif tag == "dl":
            self._terms(node, depth)
        else:
            self._remember(node)
            self.walk(node, depth + 1)
        self.flush()

    def _remember(self, node: LexborNode) -> None:
        attributes = node.attributes
        identity = attributes.get("id") or attributes.get("name")
        if identity:
            self._ids.append((identity, node.tag in ("section", "div", "article")))

    def _heading(self, node: LexborNode, level: int) -> None:
        inner = [n.attributes.get("id") or n.attributes.get("name") for n in node.css("span[id], a[id], a[name]")]
        number, title = split_number(node.text())
        if not title:
            return
        containers = [identity for identity, container in self._ids if container]
        others = [identity for identity, container in self._ids if not container]
        own = node.attributes.get("id")
        names = [n for n in (own, *reversed(containers), *(i for i in inner if i), *others) if n]
        anchor = names[0] if names else slug(title)
        aliases = [name for name in dict.fromkeys(names) if name != anchor]
        self._ids.clear()
        self.sections.append(ParsedSection(anchor, level, number, title, aliases))

    def _code(self, node: LexborNode) -> None:
        text = node.text().strip("\n").rstrip()
        if text.strip():
            self._add(Block(BlockKind.CODE, text))

    def _table(self, node: LexborNode) -> None:
        """One block a row; the header row names the cells of the others."""
        title = node.css_first("caption")
        caption = squeeze(title.text()) if title else ""
        head: list[str] = []
        for row in node.css("tr"):
            cells = [(cell.tag, squeeze(cell.text(separator=" "))) for cell in row.iter() if cell.tag in ("td", "th")]
            texts = [text for _, text in cells]
            if not any(texts):
                continue
            if not head and all(tag == "th" for tag, _ in cells):
                head = texts
                continue
            named = len(head) == len(texts) and len(texts) > 2
            line = " | ".join(f"{h}: {t}" if named and h else t for h, t in zip(head or texts, texts, strict=False))
            self._add(Block(BlockKind.ROW, line if len(head) >= len(texts) or not head else " | ".join(texts), caption))
        if caption and head and not self._rows(caption):
            self._add(Block(BlockKind.ROW, " | ".join(head), caption))

    def _rows(self, caption: str) -> bool:
        return any(block.caption == caption for block in self._section().blocks)

    def _terms(self, node: LexborNode, depth: int) -> None:
        """A term with its definition is one block. A list that holds listings or headings is walked like any container."""
        if node.css_first("pre, table, h1, h2, h3, h4, h5, h6, dl dl"):
            for child in node.iter():
                self._label(child)
                self.walk(child, depth + 1)
                self.flush()
            return
        term = ""
        for child in node.iter():
            text = squeeze(child.text(separator=" " if child.tag != "dt" else ""))
            if child.tag == "dt":
                self._label(child)
                term = f"{term}, {text}" if term else text
            elif text:
                self._add(Block(BlockKind.TERM, f"{term}: {text}" if term else text))
                term = ""
        if term:
            self._add(Block(BlockKind.TERM, term))

    def _label(self, node: LexborNode) -> None:
        """The id of a defined term leads to the section that it is in."""
        identity = node.attributes.get("id")
        if identity and node.tag == "dt" and self.sections:
            self._section().aliases.append(identity)

    def _section(self) -> ParsedSection:
        if not self.sections:
            self.sections.append(ParsedSection("", 1, "", ""))
        return self.sections[-1]

    def _add(self, block: Block) -> None:
        self._ids.clear()
        self._section().blocks.append(block)
