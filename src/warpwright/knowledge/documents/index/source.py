"""Where documents lie: a folder with what is known of it, and the files in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from warpwright.knowledge.documents.parsing.read import SUFFIXES

NVIDIA_NOTE: Final = "NVIDIA's text, under NVIDIA's licence; kept on this disk for your own use and never passed on"
_SKIPPED_FOLDERS: Final = frozenset(
    (
        "_static",
        "_images",
        "_sources",
        "_downloads",
        "_sphinx_design_static",
        "search",
        "common",
        "node_modules",
        ".git",
    )
)
_SKIPPED_PAGES: Final = frozenset(("genindex", "search", "py-modindex", "404", "check"))
_UNREAD: Final = ("copyrightandlicenses", "notices", "archives", "eula")
"""Folders of legal text and lists of links: nothing in them answers a question on kernels."""


class SourceKind(StrEnum):
    """What a source is."""

    WEB = "web"
    FOLDER = "folder"
    PDF = "pdf"
    NOTES = "notes"


PRIORITY: Final = {"added": 30, "installed": 20, "fetched": 10}
"""Of two sources with the same book the higher is indexed: the user's choice, the tool's own copy, the web's."""


@dataclass(frozen=True, slots=True)
class Source:
    """A folder (or one file) of documents.

    name: short, unique among sources, part of the ids of books that `books.toml` does not list. version: of the product,
    None unknown. url: public address of the folder's root, None if it has none.
    """

    kind: SourceKind
    name: str
    root: Path
    product: str | None = None
    version: str | None = None
    url: str | None = None
    licence_note: str | None = None
    priority: int = PRIORITY["added"]


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of a source. relative: its path under the root, with `/`. The rest is known for fetched pages only.

    book: key that the manifest gave, None in notes of an earlier version.
    """

    path: Path
    relative: str
    url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    fetched_at: float | None = None
    http_status: int | None = None
    gone_at: float | None = None
    book: str | None = None


def files(source: Source) -> Iterator[PageFile]:
    """Files of a source that can be indexed, in the order of their paths; links out of the folder are not followed."""
    if source.root.is_file():
        yield PageFile(source.root, source.root.name)
        return
    for folder, subfolders, names in source.root.walk():
        # the topics of release notes repeat what their one page holds
        subfolders[:] = [] if folder.name == "ReleaseNotes" else sorted(n for n in subfolders if not _skipped(n))
        for name in sorted(names):
            path = folder / name
            if path.suffix.lower() in SUFFIXES and path.stem.lower() not in _SKIPPED_PAGES and path.is_file():
                yield PageFile(path, path.relative_to(source.root).as_posix())


def _skipped(folder: str) -> bool:
    return folder in _SKIPPED_FOLDERS or folder.lower() in _UNREAD or folder.startswith(".")
