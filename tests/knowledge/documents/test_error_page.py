"""Error pages that were saved as documents are told from documents, wherever a page comes in."""

from pathlib import Path

import pytest

from knowledge.documents.host import WORDS, page
from warpwright.knowledge.documents.parsing.error_page import error_page
from warpwright.knowledge.documents.parsing.read import parse
from warpwright.knowledge.documents.shelf import Shelf
from warpwright.knowledge.documents.sync.content import rejection

ERRORS = [
    "404",
    "404 | NVIDIA Docs",
    "404 Not Found",
    "404 - File or directory not found.",
    "Error 404 (Not Found)!!1",
    "HTTP Status 404 \u2013 Not Found",
    "Page Not Found",
    "Page not found \u00b7 GitHub Pages",
    "NVIDIA Docs | Page not found",
    "This page could not be found",
    "The page you are looking for doesn\u2019t exist",
    "Sorry, this page isn't available.",
    "Oops! We can't find that page",
    "We are sorry, we could not find the page you requested",
    "The requested URL was not found on this server.",
    "ERROR: The requested URL could not be retrieved",
    "Access Denied",
    "403 Forbidden",
    "503 Service Unavailable",
    "502 Bad Gateway",
    "500 Internal Server Error",
    "Just a moment...",
    "Attention Required! | Cloudflare",
    "Sign in",
    "Log in | NVIDIA",
    "Please log in",
    "Login page",
    "Sign in to continue",
    "Sign in to the network",
    "Log in to your account",
    "Sign on to the corporate network with your badge",
    "Log in with single sign-on",
    "Authentication required",
    "Network login required",
    "Wi-Fi portal",
    "Your session has expired. Please log in again.",
]
DOCUMENTS = [
    "Error Handling",
    "4.0.4. Page-Locked Host Memory",
    "404 warps per SM",
    "400 Gb Ethernet",
    "500 kernels a second",
    "Access denied when profiling",
    "Symbols not found at link time",
    "No kernels were profiled: what to do",
    "Metric shows n/a, or no permission for counters",
    "Unified memory: where a page is not available on the device",
    "Too many resources requested for launch",
    "Forbidden operations in graphs",
    "File formats",
    "Document conventions",
    "CUDA C++ Best Practices Guide \u2014 Product 13.0 documentation",
    "Server mode",
    "Log in to the cluster",
    "Sign in with ssh keys",
    "Login nodes",
    "Sign extension",
    "Session expiry",
    "Authentication",
    "Natural logarithm: log in base e",
]


def _said(content: bytes, name: str) -> str | None:
    return error_page(content, name, parse(content, name))


@pytest.mark.parametrize("title", ERRORS)
def test_error_pages(title: str) -> None:
    assert _said(page(title), "a.html") == f"is an error page ({title[:60]!r})"
    assert rejection("https://h/a.html", page(title)) is not None
    markdown = f"\n# {title}\n\n{WORDS}".encode()
    assert _said(markdown, "a.md") is not None
    assert rejection("https://h/a.html.md", markdown) == f"is an error page ({title[:60]!r})"


@pytest.mark.parametrize("title", DOCUMENTS)
def test_documents(title: str) -> None:
    assert _said(page(title), "a.html") is None
    assert _said(f"# {title}\n\n{WORDS}".encode(), "a.md") is None
    assert rejection("https://h/a.html", page(title)) is None


@pytest.mark.parametrize(
    "text",
    [
        f"<html><head><title>Page not found</title></head><body><article><h1>Docs</h1><p>{WORDS}</p></article></body></html>",
        f"<html><body><header><h1>Docs</h1></header><main><h2>Page not found</h2><p>{WORDS}</p></main></body></html>",
        f"<!DOCTYPE html><html><body><h1>404</h1><p>{WORDS}</p></body></html>",
    ],
    ids=["title", "second heading", "status"],
)
@pytest.mark.parametrize("name", ["a.html", "a.md", "a.txt"])
def test_html_under_any_name_is_looked_at(text: str, name: str) -> None:
    if name == "a.html" or text.startswith(("<html", "<!")):
        assert _said(text.encode(), name) is not None


def test_a_section_may_be_called_what_a_page_may_not() -> None:
    body = f"<article><h1>Troubleshooting</h1><p>{WORDS}</p><h2>Page not found</h2><p>{WORDS}</p></article>"
    assert _said(f"<html><body>{body}</body></html>".encode(), "a.html") is None
    assert _said(f"# Troubleshooting\n\n{WORDS}\n\n## Page not found\n\n{WORDS}".encode(), "a.md") is None


def test_saved_error_pages_do_not_enter_the_index(tmp_path: Path) -> None:
    """And those that an earlier version took leave it: all pages are read again when what is refused changes."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "guide.html").write_bytes(page("Guide"))
    (notes / "lost.html").write_bytes(page("404 | NVIDIA Docs"))
    (notes / "lost.md").write_text(f"# Page not found\n\n{WORDS}")
    shelf = Shelf(tmp_path / "shelf")
    shelf.add(notes)
    built = shelf.update()
    assert built.pages == 1
    assert [(Path(path).name, reason) for path, reason in built.failed] == [
        ("lost.html", "is an error page ('404 | NVIDIA Docs'), not a document. Delete it, or save the page again."),
        ("lost.md", "is an error page ('Page not found'), not a document. Delete it, or save the page again."),
    ]
    (notes / "guide.html").write_bytes(page("404"))
    assert shelf.update().removed == 1
