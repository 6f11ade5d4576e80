"""Fetched pages on disk: each with a note of where it came from, both complete or not there at all."""

import hashlib
import json
import os
import re
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from warpwright.knowledge.documents.index.source import PageFile

_NOTE: Final = ".note.json"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._/-]|\.\.")


@dataclass(frozen=True, slots=True)
class PageNote:
    """What is known of a fetched page. fetched_at: seconds since 1970, of the last time the host confirmed it.

    gone_at: when the host first answered 404 for it; the copy is kept.
    """

    url: str
    sha256: str
    fetched_at: float
    http_status: int
    etag: str | None = None
    last_modified: str | None = None
    gone_at: float | None = None


@dataclass(frozen=True, slots=True)
class PageStore:
    """A folder of fetched pages, laid out like the host."""

    folder: Path

    def any(self) -> bool:
        """Whether a page was fetched."""
        return self.folder.is_dir() and next(self.folder.rglob(f"*{_NOTE}"), None) is not None

    def path(self, url: str) -> Path:
        """Where a page lies."""
        relative = _UNSAFE.sub("_", urlsplit(url).path.lstrip("/")) or "index.html"
        return self.folder / (f"{relative}index.html" if relative.endswith("/") else relative)

    def note(self, url: str) -> PageNote | None:
        """Of a page that is whole on disk; None otherwise."""
        path = self.path(url)
        note = _read_note(path.with_name(path.name + _NOTE))
        if note is None or not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != note.sha256:
            return None
        return note

    def write(self, note: PageNote, content: bytes) -> None:
        """Put a page on disk, then its note. Raises: OSError, and then the page that was there before still is."""
        path = self.path(note.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
        self._write_note(note)

    def confirm(self, note: PageNote) -> None:
        """The host says that the copy is current. Raises: OSError."""
        self._write_note(replace(note, fetched_at=time.time(), gone_at=None))

    def gone(self, note: PageNote) -> None:
        """The host no longer has the page. Raises: OSError."""
        self._write_note(replace(note, gone_at=note.gone_at or time.time(), http_status=404))

    def files(self) -> list[PageFile]:
        """Every whole page, in the order of their paths."""
        found = []
        for file in sorted(self.folder.rglob(f"*{_NOTE}")):
            note = _read_note(file)
            if note is None or self.note(note.url) is None:
                continue
            path = self.path(note.url)
            relative = path.relative_to(self.folder).as_posix()
            found.append(
                PageFile(
                    path,
                    relative,
                    note.url,
                    note.etag,
                    note.last_modified,
                    note.fetched_at,
                    note.http_status,
                    note.gone_at,
                )
            )
        return found

    def _write_note(self, note: PageNote) -> None:
        path = self.path(note.url)
        _replace(path.with_name(path.name + _NOTE), json.dumps(asdict(note), indent=1).encode())


def _read_note(path: Path) -> PageNote | None:
    try:
        return PageNote(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _replace(path: Path, content: bytes) -> None:
    """Whole or not at all. The name of the part is fixed, so that what a killed run left is written over."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    part.replace(path)
