"""A file of any supported kind to its sections."""

from pathlib import PurePath
from typing import Final

from warpwright.knowledge.documents.parsing.document import ParsedPage
from warpwright.knowledge.documents.parsing.html import parse_html
from warpwright.knowledge.documents.parsing.markdown import parse_markdown, parse_text
from warpwright.knowledge.documents.parsing.pdf import parse_pdf

SUFFIXES: Final = frozenset((".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".rst", ".pdf"))
"""What can be indexed, by the end of the file's name."""


def parse(content: bytes, name: str) -> ParsedPage:
    """Sections of a file; its name says what it is, except that HTML under a `.md` name is HTML.

    Raises: InputError for a file that cannot be read, UnavailableError for a PDF without pypdf.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix == ".pdf":
        return parse_pdf(content, name)
    text = content.decode("utf-8", errors="replace").removeprefix("\ufeff")
    if suffix in (".html", ".htm", ".xhtml") or looks_like_html(text):
        return parse_html(text)
    return parse_markdown(text) if suffix in (".md", ".markdown") else parse_text(text)


def looks_like_html(text: str) -> bool:
    """Whether a text that should not be HTML begins like it."""
    start = text[:200].lstrip().lower()
    return start.startswith(("<!doctype html", "<html", "<head"))
