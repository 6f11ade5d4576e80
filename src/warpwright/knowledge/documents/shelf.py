"""The folder of documents: its sources, and the index over them."""

import json
import logging
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from warpwright.errors import InfrastructureError, InputError
from warpwright.knowledge.documents.index.build import Built, build
from warpwright.knowledge.documents.index.source import NVIDIA_NOTE, PRIORITY, PageFile, Source, SourceKind, files
from warpwright.knowledge.documents.library import INDEX, Library
from warpwright.knowledge.documents.parsing.read import SUFFIXES
from warpwright.knowledge.documents.sync.store import PageStore

_logger = logging.getLogger(__name__)
_SOURCES: Final = "sources.json"
_WEB: Final = "web"
_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of documents: `sources.json`, `web/` (fetched pages), `metrics/` (lists of metrics), `index.sqlite`."""

    folder: Path

    @property
    def pages(self) -> PageStore:
        """Fetched pages."""
        return PageStore(self.folder / _WEB)

    def sources(self) -> tuple[Source, ...]:
        """Added and discovered folders that still exist, then the fetched pages. Raises: InputError for a damaged list."""
        listed = [source for source in self._listed() if source.root.exists()]
        return (*listed, *([self._web()] if self.pages.any() else []))

    def update(self) -> Built:
        """Bring the index up to date with the sources. Raises: InfrastructureError, UnavailableError."""
        pages: dict[Source, Sequence[PageFile]] = {}
        for source in self.sources():
            fetched = source.kind is SourceKind.WEB
            pages[source] = self.pages.files() if fetched else list(files(source))
        return build(self.folder / INDEX, pages)

    def add(
        self, path: Path, name: str | None = None, product: str | None = None, version: str | None = None
    ) -> Source:
        """Remember a folder or file of the user's. Raises: InputError if nothing in it can be indexed or the name is taken."""
        root = path.expanduser().resolve()
        if not root.exists():
            raise InputError(f"{path}: no such file or folder.")
        pdf = root.suffix.lower() == ".pdf"
        source = Source(
            SourceKind.PDF if pdf else SourceKind.FOLDER if root.is_dir() else SourceKind.NOTES,
            _NAME.sub("-", name or root.stem).strip("-.") or "documents",
            root,
            product,
            version,
        )
        if (root.is_file() and root.suffix.lower() not in SUFFIXES) or next(files(source), None) is None:
            raise InputError(f"{path}: nothing to index; files end in {', '.join(sorted(SUFFIXES))}.")
        others = [other for other in self._listed() if other.root != root]
        if any(other.name == source.name for other in others):
            raise InputError(f"{path}: a source is called {source.name!r} already; give another with --name.")
        self._write([*others, source])
        return source

    def remember(self, discovered: Sequence[Source]) -> tuple[Source, ...]:
        """The installed documents that there are now, in the place of those known before. Returns the new ones."""
        listed = self._listed()
        known = {source.root for source in listed}
        added = [source for source in listed if source.priority != PRIORITY["installed"]]
        roots = {source.root for source in added}
        self._write([*added, *(source for source in discovered if source.root not in roots)])
        return tuple(source for source in discovered if source.root not in known)

    def purge(self, *, web: bool, sources: bool) -> int:
        """Delete the index, and on request fetched pages and the list of sources. Returns bytes freed; files of others stay."""
        doomed = [self.folder / INDEX, *([self.pages.folder] if web else []), *([self._list] if sources else [])]
        freed = 0
        for path in doomed:
            parts = path.rglob("*") if path.is_dir() else [path]
            freed += sum(part.stat().st_size for part in parts if part.is_file())
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        return freed

    def library(self) -> Library:
        """Opened for reading."""
        return Library(self.folder)

    @property
    def _list(self) -> Path:
        return self.folder / _SOURCES

    def _web(self) -> Source:
        note = NVIDIA_NOTE
        return Source(SourceKind.WEB, _WEB, self.pages.folder, None, None, None, note, PRIORITY["fetched"])

    def _listed(self) -> list[Source]:
        if not self._list.is_file():
            return []
        try:
            return [_source(row) for row in json.loads(self._list.read_text(encoding="utf-8"))]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(
                f"{self._list}: not a list of sources ({error}). Delete it and add the folders again with `docs add`."
            ) from error

    def _write(self, sources: Sequence[Source]) -> None:
        rows = [_row(source) for source in sorted(sources, key=lambda source: source.name)]
        temporary = self._list.with_name(f"{_SOURCES}.{os.getpid()}.new")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            temporary.replace(self._list)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise InfrastructureError(
                f"{self._list} was not changed: {error.strerror}. Free space or set WARPWRIGHT_DOCS."
            ) from error


def _row(source: Source) -> dict[str, Any]:
    return {
        "kind": str(source.kind),
        "name": source.name,
        "root": str(source.root),
        "product": source.product,
        "version": source.version,
        "url": source.url,
        "licence_note": source.licence_note,
        "priority": source.priority,
    }


def _source(row: dict[str, Any]) -> Source:
    return Source(**{**row, "kind": SourceKind(row["kind"]), "root": Path(row["root"])})
