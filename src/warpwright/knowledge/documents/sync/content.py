"""Whether what a host sent is the document, or an error page in its place."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser

from warpwright.knowledge.documents.parsing.error_page import error_page
from warpwright.knowledge.documents.parsing.read import looks_like_html, parse, text_of

LEAST_CHARACTERS: Final = 400
"""Of text; real pages of the manifest have thousands."""


def rejection(url: str, content: bytes) -> str | None:
    """Why a body is not kept; None if it is a document."""
    text = text_of(content)
    markdown = url.split("?", 1)[0].split("#", 1)[0].endswith((".md", ".markdown"))
    if markdown and looks_like_html(text):
        return "is an HTML page under a Markdown address"
    name = "page.md" if markdown else "page.html"
    page = parse(content, name)
    said = error_page(content, name, page)
    if said is not None:
        return said
    if not markdown and LexborHTMLParser(text).css_first("h1, article, [itemprop=articleBody]") is None:
        return "has neither a main heading nor an article"
    if page.characters < LEAST_CHARACTERS:
        return f"has {page.characters} characters of text; a document has at least {LEAST_CHARACTERS}"
    return None
