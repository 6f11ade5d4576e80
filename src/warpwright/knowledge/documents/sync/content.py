"""Whether what a host sent is the document, or a page in its place: an error, a sign-in form, anything else."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from warpwright.knowledge.documents.parsing.error_page import error_page, headings
from warpwright.knowledge.documents.parsing.read import looks_like_html, parse, text_of

LEAST_CHARACTERS: Final = 400
"""Of text; real pages of the manifest have thousands."""
_LEAST_STEM: Final = 4
"""Characters of a word that may also be the beginning of another: `kernel` of `kernels`, `compute` of `computesanitizer`."""
_WORD: Final = re.compile(r"[^\W\d_][^\W_]+")
_SHOWN: Final = 60
_FILE: Final = "title_words.toml"


def rejection(url: str, content: bytes, titles: Iterable[str] = ()) -> str | None:
    """Why a body is not kept; None if it is a document.

    titles: under which the document is known. One that has no word of them in its own title or heading is another page.
    """
    text = text_of(content)
    name = _file_name(url)
    markdown = name.endswith(".md")
    if markdown and looks_like_html(text):
        return "is an HTML page under a Markdown address"
    page = parse(content, name)
    said = error_page(content, name, page)
    if said is not None:
        return said
    if not markdown and LexborHTMLParser(text).css_first("h1, article, [itemprop=articleBody]") is None:
        return "has neither a main heading nor an article"
    if page.characters < LEAST_CHARACTERS:
        return f"has {page.characters} characters of text; a document has at least {LEAST_CHARACTERS}"
    return _another_page(tuple(headings(content, name, page)), tuple(titles))


def titles_of(url: str, content: bytes) -> tuple[str, ...]:
    """What a page calls itself."""
    name = _file_name(url)
    return tuple(headings(content, name, parse(content, name)))


def _file_name(url: str) -> str:
    """By which the parsers know what they are given."""
    return "page.md" if url.split("?", 1)[0].split("#", 1)[0].endswith((".md", ".markdown")) else "page.html"


def _another_page(own: tuple[str, ...], known: tuple[str, ...]) -> str | None:
    found, wanted = _words(own), _words(known)
    if not found or not wanted or any(_alike(one, other) for one in found for other in wanted):
        return None
    return (
        f"is titled {own[0][:_SHOWN]!r}, which has no word of {known[0]!r}; if the host renamed the document, change its "
        "title in the manifest"
    )


def _words(titles: Iterable[str]) -> frozenset[str]:
    return frozenset(word for title in titles for word in _WORD.findall(title.lower())) - _common()


@cache
def _common() -> frozenset[str]:
    return frozenset(tomllib.loads((files(__package__) / _FILE).read_text(encoding="utf-8"))["common"])


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _LEAST_STEM and long.startswith(short))
