"""Which pages `docs sync` fetches, and from which host."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from warpwright.errors import InputError

_FILE: Final = "manifest.toml"
_LOOPBACK: Final = frozenset(("127.0.0.1", "localhost", "::1"))
_CUDA: Final = re.compile(r"^\d+\.\d+(\.\d+)?$")


@dataclass(frozen=True, slots=True)
class ManifestPage:
    """A page. path: on the host, begins with `/`. since, until: major CUDA versions that have it, None = no limit."""

    book: str
    path: str
    title: str
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """host: scheme and host, without a slash at the end. Nothing is ever fetched from anywhere else."""

    host: str
    pages: tuple[ManifestPage, ...]

    def selected(self, only: Sequence[str], cuda: str | None) -> tuple[ManifestPage, ...]:
        """Pages of some books (all if none is named) and of one CUDA release (the newest if None).

        Raises: InputError for a book that the manifest does not have or a version that is none.
        """
        known = dict.fromkeys(page.book for page in self.pages)
        unknown = [book for book in only if book not in known]
        if unknown:
            raise InputError(f"--only {','.join(unknown)}: the manifest has {', '.join(known)}.")
        if cuda is not None and not _CUDA.match(cuda):
            raise InputError(f"--cuda {cuda!r} is no version. Write it as 13.0.0.")
        major = int(cuda.split(".")[0]) if cuda else 10**6
        pages = [page for page in self.pages if not only or page.book in only]
        return tuple(p for p in pages if (p.since or 0) <= major and (p.until is None or major <= p.until))

    def url(self, page: ManifestPage, cuda: str | None) -> str:
        """Address of a page; pages of the toolkit have an archive per release."""
        if cuda is None or not page.path.startswith("/cuda/"):
            return f"{self.host}{page.path}"
        release = cuda if cuda.count(".") == 2 else f"{cuda}.0"
        return f"{self.host}/cuda/archive/{release}/{page.path.removeprefix('/cuda/')}"


def read_manifest(path: Path | None = None) -> Manifest:
    """The list shipped with the package, or a file of the same form. Raises: InputError saying what is wrong with it."""
    try:
        source = files("warpwright.knowledge.documents.sync") / _FILE if path is None else path
        document = tomllib.loads(source.read_text(encoding="utf-8"))
        host = str(document["host"]).rstrip("/")
        pages = tuple(
            ManifestPage(row["book"], row["path"], row["title"], row.get("since"), row.get("until"))
            for row in document["page"]
        )
    except OSError as error:
        raise InputError(f"manifest {path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"manifest {path}: {error}. It has `host` and [[page]] with book, path and title.") from error
    parts = urlsplit(host)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise InputError(
            f"manifest {path or _FILE}: host {host!r} is not https. Only a mirror on this machine may be http."
        )
    if any(not page.path.startswith("/") for page in pages):
        raise InputError(f"manifest {path or _FILE}: paths begin with `/`.")
    return Manifest(host, pages)
