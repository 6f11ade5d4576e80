"""Whether what a host sent is the document, or an error page in its place."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser

from warpwright.knowledge.documents.parsing.document import squeeze
from warpwright.knowledge.documents.parsing.read import looks_like_html, parse

LEAST_CHARACTERS: Final = 400
"""Of text; real pages of the manifest have thousands."""
_ERRORS: Final = (
    "page not found",
    "404 not found",
    "error 404",
    "access denied",
    "403 forbidden",
    "service unavailable",
)


def rejection(url: str, content: bytes) -> str | None:
    """Why a body is not kept; None if it is a document."""
    text = content.decode("utf-8", errors="replace").removeprefix("\ufeff")
    markdown = url.split("?", 1)[0].split("#", 1)[0].endswith((".md", ".markdown"))
    if markdown and looks_like_html(text):
        return "is an HTML page under a Markdown address"
    if not markdown:
        tree = LexborHTMLParser(text)
        headings = [
            squeeze(node.text()) for node in (tree.css_first("title"), tree.css_first("h1")) if node is not None
        ]
        said = next((h for h in headings if any(error in h.lower() for error in _ERRORS)), None)
        if said:
            return f"is an error page ({said[:60]!r})"
        if tree.css_first("h1, article, [itemprop=articleBody]") is None:
            return "has neither a main heading nor an article"
    characters = parse(content, "page.md" if markdown else "page.html").characters
    if characters < LEAST_CHARACTERS:
        return f"has {characters} characters of text; a document has at least {LEAST_CHARACTERS}"
    return None
