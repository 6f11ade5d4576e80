"""A file of any supported kind to its sections."""

from pathlib import PurePath
from typing import Final

from warpwright.knowledge.documents.parsing.document import ParsedPage
from warpwright.knowledge.documents.parsing.html import parse_html
from warpwright.knowledge.documents.parsing.markdown import parse_markdown, parse_text
from warpwright.knowledge.documents.parsing.pdf import parse_pdf

SUFFIXES: Final = frozenset((".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".rst", ".pdf"))
"""What can be indexed, by the end of the file's name."""
_HTML: Final = frozenset((".html", ".htm", ".xhtml"))


def parse(content: bytes, name: str) -> ParsedPage:
    """Sections of a file; its name says what it is, except that HTML under a `.md` name is HTML.

    Raises: InputError for a file that cannot be read, UnavailableError for a PDF without pypdf.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix == ".pdf":
        return parse_pdf(content, name)
    text = text_of(content)
    if is_html(text, name):
        return parse_html(text)
    return parse_markdown(text) if suffix in (".md", ".markdown") else parse_text(text)


def text_of(content: bytes) -> str:
    """Bytes as text, whatever they are."""
    return content.decode("utf-8", errors="replace").removeprefix("\ufeff")


def is_html(text: str, name: str) -> bool:
    """Whether a file is taken as HTML: by its name, or because it begins like it."""
    return PurePath(name).suffix.lower() in _HTML or looks_like_html(text)


def looks_like_html(text: str) -> bool:
    """Whether a text that should not be HTML begins like it."""
    start = text[:200].lstrip().lower()
    return start.startswith(("<!doctype html", "<html", "<head"))
