"""Fetched pages on disk: each with a note of where it came from, both complete or not there at all."""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable
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

    gone_at: when the host first answered 404 for it; the copy is kept. book: key of `books.toml`, as the manifest has it; None
    in notes of an earlier version.
    """

    url: str
    sha256: str
    fetched_at: float
    http_status: int
    etag: str | None = None
    last_modified: str | None = None
    gone_at: float | None = None
    book: str | None = None


@dataclass(frozen=True, slots=True)
class PageStore:
    """A folder of fetched pages, laid out like the host."""

    folder: Path

    def any(self) -> bool:
        """Whether a page was fetched."""
        return next(self.folder.rglob(f"*{_NOTE}*"), None) is not None

    def path(self, url: str) -> Path:
        """Where a page lies."""
        relative = _UNSAFE.sub("_", urlsplit(url).path.lstrip("/"))
        named = "." in relative.rpartition("/")[2]
        return self.folder / (relative if named else f"{relative.rstrip('/')}/index.html".lstrip("/"))

    def note(self, url: str) -> PageNote | None:
        """Of a page that is whole on disk and came from there; None otherwise."""
        note = _note_of(self.path(url))
        return note if note is not None and note.url == url else None

    def write(self, note: PageNote, content: bytes) -> None:
        """Put a page and its note on disk. Raises: OSError, and then the page that was there before still is.

        Both are written beside their places before either takes its place. If that is cut off between the two, the new note
        still lies beside its place, where `note` finds it.
        """
        path = self.path(note.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        places = {path: content, _note_files(path)[0]: _encoded(note)}
        for place, part in places.items():
            _write_part(place, part, places)
        for place in places:
            _part(place).replace(place)

    def content(self, note: PageNote) -> bytes:
        """Of a page that `note` found. Raises: OSError."""
        return self.path(note.url).read_bytes()

    def filed(self, note: PageNote, book: str) -> PageNote:
        """The note with its book, written if it had another. Raises: OSError."""
        if note.book != book:
            note = replace(note, book=book)
            self._write_note(note)
        return note

    def confirm(self, note: PageNote) -> None:
        """The host says that the copy is current. Raises: OSError."""
        self._write_note(replace(note, fetched_at=time.time(), gone_at=None))

    def gone(self, note: PageNote) -> None:
        """The host no longer has the page. Raises: OSError."""
        self._write_note(replace(note, gone_at=note.gone_at or time.time(), http_status=404))

    def files(self) -> list[PageFile]:
        """Every whole page, in the order of their paths."""
        found = []
        for path in sorted({file.with_name(file.name.partition(_NOTE)[0]) for file in self.folder.rglob(f"*{_NOTE}*")}):
            note = _note_of(path)
            if note is None:
                continue
            relative = path.relative_to(self.folder).as_posix()
            since = (note.etag, note.last_modified, note.fetched_at, note.http_status, note.gone_at, note.book)
            found.append(PageFile(path, relative, note.url, *since))
        return found

    def _write_note(self, note: PageNote) -> None:
        place = _note_files(self.path(note.url))[0]
        _write_part(place, _encoded(note), (place,))
        _part(place).replace(place)


def _note_files(page: Path) -> tuple[Path, Path]:
    """Where the note of a page is, and where it is before it takes its place."""
    place = page.with_name(page.name + _NOTE)
    return place, _part(place)


def _note_of(page: Path) -> PageNote | None:
    """The note that fits a page; None if there is no page, none fits, or the page is not whole."""
    held = [note for file in _note_files(page) if (note := _read_note(file)) is not None]
    if not held or not page.is_file():
        return None
    sha256 = hashlib.sha256(page.read_bytes()).hexdigest()
    return next((note for note in held if note.sha256 == sha256), None)


def _read_note(path: Path) -> PageNote | None:
    try:
        return PageNote(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _encoded(note: PageNote) -> bytes:
    return json.dumps(asdict(note), indent=1).encode()


def _part(place: Path) -> Path:
    """The name is fixed, so that what a killed run left is written over."""
    return place.with_name(f"{place.name}.part")


def _write_part(place: Path, content: bytes, together: Iterable[Path]) -> None:
    """On disk, not only in its cache. Raises: OSError, and then no part of what belongs together is left."""
    try:
        with _part(place).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        for each in together:
            with suppress(OSError):
                _part(each).unlink(missing_ok=True)
        raise
