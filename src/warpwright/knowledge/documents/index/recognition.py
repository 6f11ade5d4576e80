"""Which book a page belongs to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from warpwright.knowledge.books import Book, books
from warpwright.knowledge.documents.index.source import PRIORITY, PageFile, Source

_VERSION_FOLDER: Final = re.compile(r"/archive/([\d.]+)/")
_WORDS: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Identity:
    """A page's place: key and title of its book (title None = take the page's own), its public address, its version."""

    book: str
    document: str | None
    product: str | None
    url: str | None
    version: str | None


def recognise(source: Source, page: PageFile) -> Identity:
    """By the manifest that it was fetched for, its address, or the names of its folders; else it is a book of its own.

    The manifest comes first because a mirror has the guides under addresses of its own.
    """
    url = _public(page.url)
    archive = _VERSION_FOLDER.search(page.url or "")
    version = archive[1] if archive else source.version
    if url is not None:
        book = books().get(page.book or "") or _book_at(url)
        if book is not None:
            return Identity(book.key, book.title, book.product, url, version)
    else:
        found = _in_path(page.relative) or (_in_path(source.root.as_posix()) if source.root.is_file() else None)
        if found is not None:
            address, book, rest = found
            return Identity(book.key, book.title, book.product, _page_url(address, rest), version)
    stem = _without_index(page.relative)
    public = url or (f"{source.url}{_unmarked(page.relative)}" if source.url else None)
    owner = source.product if source.priority == PRIORITY["installed"] and source.product else source.name
    return Identity(f"{owner}/{stem}" if stem else owner, None, source.product, public, version)


def canonical(address: str) -> str:
    """An address without scheme, archive folder, `index.html`, `.md` of a twin, query and fragment."""
    parts = urlsplit(address)
    path = _VERSION_FOLDER.sub("/", _unmarked(parts.path))
    return f"{parts.netloc.lower()}{path.removesuffix('index.html')}".rstrip("/")


def _public(url: str | None) -> str | None:
    """The address that a citation shows: the Markdown twin's is that of the page."""
    return _unmarked(url) if url else None


def _unmarked(path: str) -> str:
    return path.removesuffix(".md") if path.endswith((".html.md", ".htm.md")) else path


@cache
def _addresses() -> tuple[tuple[str, str, Book], ...]:
    """Every address of every book, in canonical form and as written, the longest first."""
    rows = [
        (canonical(address), address, book)
        for book in books().values()
        for address in (book.url, *book.aliases)
        if "://" in address
    ]
    return tuple(sorted(rows, key=lambda row: -len(row[0])))


def _book_at(url: str) -> Book | None:
    wanted = canonical(url)
    return next((book for start, _, book in _addresses() if wanted == start or wanted.startswith(f"{start}/")), None)


@cache
def _folders() -> dict[str, tuple[str, Book]]:
    """Address and book by the name of the folder that the book has on its host, in lower case."""
    return {PurePosixPath(short).name.lower(): (address, book) for short, address, book in reversed(_addresses())}


def _in_path(path: str) -> tuple[str, Book, str] | None:
    """Address and book whose folder is in a path, and the rest of the path."""
    parts = PurePosixPath(_unmarked(path)).parts
    for position in range(len(parts) - 1, -1, -1):
        for name in _spellings(parts[position], last=position == len(parts) - 1):
            if name in _folders():
                return *_folders()[name], "/".join(parts[position + 1 :])
    return None


def _spellings(part: str, *, last: bool) -> Iterator[str]:
    """A folder's name, or a file's without its ending: `CUDA_C_Best_Practices_Guide.pdf` is that guide."""
    yield part.lower()
    if last:
        yield _WORDS.sub("-", PurePosixPath(part).stem.lower()).strip("-")


def _page_url(address: str, rest: str) -> str:
    if not rest or rest == "index.html":
        return address
    return f"{address.removesuffix('index.html').rstrip('/')}/{rest}"


def _without_index(relative: str) -> str:
    path = PurePosixPath(_unmarked(relative))
    return (path.parent if path.stem == "index" else path.with_suffix("")).as_posix().removeprefix(".").lstrip("/")
