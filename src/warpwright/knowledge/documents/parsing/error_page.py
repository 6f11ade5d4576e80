"""Whether a page is what a host sends in place of a document: judged by its title and its main heading."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from warpwright.knowledge.documents.parsing.document import ParsedPage, squeeze
from warpwright.knowledge.documents.parsing.read import is_html, text_of

_FILE: Final = "error_pages.toml"
_DASHES: Final = r"|\u00b7\u2022\u2013\u2014\u00bb"
_BESIDE: Final = re.compile(rf"\s*[{_DASHES}]\s*|\s+-+\s+")
_APOSTROPHES: Final = re.compile(r"['\u2018\u2019`]")
_MARKS: Final = re.compile(rf"[^\w{_DASHES}-]+")
_SHOWN: Final = 60
_BEGINNING: Final = 64 * 1024
"""Characters in which title and main heading are looked for; error pages are short, and guides are not parsed twice."""
_MARKDOWN: Final = frozenset((".md", ".markdown"))


def error_page(content: bytes, name: str, page: ParsedPage) -> str | None:
    """`is an error page ('404 | Docs')`; None for a document. page: what `parse` made of the same bytes."""
    said = next((heading for heading in headings(content, name, page) if _is_error(heading)), None)
    return None if said is None else f"is an error page ({said[:_SHOWN]!r})"


def headings(content: bytes, name: str, page: ParsedPage) -> Iterator[str]:
    """Title and first headings. Plain text and PDF have none that a host would write an error into."""
    text = text_of(content)
    if is_html(text, name):
        tree = LexborHTMLParser(text[:_BEGINNING])
        yield from (squeeze(node.text()) for node in map(tree.css_first, ("title", "h1")) if node is not None)
        yield page.title
    elif PurePath(name).suffix.lower() in _MARKDOWN:
        first = next((line for line in text.splitlines() if line.strip()), "")
        yield squeeze(first.lstrip("# ").rstrip("# "))
        yield page.title


def _is_error(heading: str) -> bool:
    plain = _MARKS.sub(" ", _APOSTROPHES.sub("", heading.lower())).strip()
    sighs, patterns = _patterns()
    for part in (plain, *_BESIDE.split(plain)):
        bare = sighs.sub("", f"{part.strip(' -')} ").strip()
        if any(pattern.fullmatch(words) for pattern in patterns for words in (part, bare)):
            return True
    return False


@cache
def _patterns() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """What is left out in front, and what makes an error page."""
    table = tomllib.loads((files(__package__) / _FILE).read_text(encoding="utf-8"))
    return re.compile(f"^(?:{table['sighs']})+"), tuple(re.compile(pattern) for pattern in table["patterns"])
