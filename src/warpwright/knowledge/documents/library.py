"""The documents of this machine: searched, read and cited."""

import logging
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

from warpwright.errors import InputError, UnavailableError
from warpwright.knowledge.citation import Citation, Reference
from warpwright.knowledge.documents.index.architectures import nearest
from warpwright.knowledge.documents.index.query import Frequencies, Query, Stems, matches, prepare, relevant, snippet
from warpwright.knowledge.documents.index.resolve import Place, by_id, by_reference, neighbours
from warpwright.knowledge.documents.index.schema import SCHEMA_VERSION, open_to_read, schema_of
from warpwright.knowledge.documents.metrics import Metric, lookup_metric
from warpwright.knowledge.documents.status import Status, status_of

_logger = logging.getLogger(__name__)
INDEX: Final = "index.sqlite"
"""Name of the index in the folder of documents."""
_RANK: Final = 60
"""Of reciprocal rank fusion: how much a first place counts over the next ones; the value of its first description."""
_MOST_QUERIES: Final = 3
_SNIPPET: Final = 400
_NOTHING: Final = "nothing is indexed yet: run `warpwright docs discover`, `docs add FOLDER` or `docs sync`"


@dataclass(frozen=True, slots=True)
class Found:
    """A section that a search returned. score: merged ranks, for the order only. age_days: since it was fetched or indexed."""

    citation: Citation
    snippet: str
    score: float
    age_days: float | None

    @property
    def id(self) -> str:
        """What `read` takes."""
        return self.citation.id


@dataclass(frozen=True, slots=True)
class SectionText:
    """Part of a section. offset, total: characters. previous, next, parent: ids, None at the ends."""

    citation: Citation
    text: str
    offset: int
    total: int
    previous: str | None
    next: str | None
    parent: str | None


class Library:
    """A folder of documents with its index, opened for reading.

    Without an index every search finds nothing: no run fails for it. problem: why there is no index, None if there is one.
    Safe to share between threads.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problem: str | None = None
        self._lock = Lock()
        self._stems: Stems | None = None
        self._connection = self._open()
        self._frequencies: Frequencies | None = None
        if self._connection is not None:
            self._stems = Stems()
            self._frequencies = Frequencies(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the files."""
        if self._connection is not None:
            self._connection.close()
        if self._stems is not None:
            self._stems.close()

    @property
    def rung(self) -> str:
        """The best source at hand: `index`, or `field guide` where nothing is indexed."""
        return "field guide" if self._connection is None else "index"

    def search(
        self, queries: str | Sequence[str], arch: str | int | None = None, product: str | None = None, k: int = 6
    ) -> tuple[Found, ...]:
        """The k best sections for 1 to 3 wordings of one question, merged by reciprocal rank; () = nothing relevant.

        arch: `sm_90` leaves out what is about other architectures only. product: `cuda`, `nsight-compute`, ...
        Raises: InputError for no query or more than three.
        """
        wordings = [queries] if isinstance(queries, str) else list(queries)
        if not 1 <= len(wordings) <= _MOST_QUERIES or not all(w.strip() for w in wordings):
            raise InputError(
                f"{len(wordings)} queries; give 1 to {_MOST_QUERIES} wordings of one question, none empty."
            )
        connection, frequencies, stems = self._connection, self._frequencies, self._stems
        if connection is None or frequencies is None or stems is None:
            return ()
        with self._lock:
            merged: dict[int, tuple[float, int, Query]] = {}
            for wording in wordings:
                query = prepare(wording, frequencies, stems)
                hits = matches(connection, query, product, None if arch is None else nearest(arch))
                kept = relevant(connection, hits[: 2 * k], query)
                for rank, hit in enumerate(kept, 1):
                    score, chunk, first = merged.get(hit.section, (0.0, hit.chunk, query))
                    merged[hit.section] = (score + 1 / (_RANK + rank), chunk, first)
            best = sorted(merged.items(), key=lambda item: (-item[1][0], item[0]))[:k]
            return tuple(self._found(connection, section, *rest) for section, rest in best)

    def read(self, id: str, offset: int = 0, max_chars: int = 6000) -> SectionText:  # noqa: A002
        """Text of a section from a character on. Raises: InputError for an id that the index does not hold."""
        if offset < 0 or max_chars < 1:
            raise InputError(f"offset {offset}, max_chars {max_chars}: give an offset >= 0 and at least one character.")
        with self._lock:
            place = by_id(self._connection, id) if self._connection is not None else None
            if place is None or self._connection is None:
                why = self.problem or "search for it with `warpwright docs search`"
                raise InputError(f"no section {id!r} in the index; {why}.")
            text = self._connection.execute("SELECT text FROM section WHERE id = ?", (place.section,)).fetchone()[0]
            around = neighbours(self._connection, place)
        part = text[offset : offset + max_chars]
        return SectionText(place.citation, part, offset, len(text), *around)

    def cite(self, reference: Reference) -> Citation | None:
        """A section by its anchor, one that the anchor moved from, or its title; None if no indexed document has it."""
        if self._connection is None:
            return None
        with self._lock:
            place = by_reference(self._connection, reference)
        return place.citation if place else None

    def citation(self, identity: str) -> Citation | None:
        """Of a section's id; None if the index does not hold it."""
        if self._connection is None:
            return None
        with self._lock:
            place = by_id(self._connection, identity)
        return place.citation if place else None

    def lookup_metric(self, name: str) -> Metric | None:
        """Unit and description of a profiler metric, from lists of metrics kept in the folder or from indexed tables.

        None = neither knows it.
        """
        with self._lock:
            return lookup_metric(name, self.folder, self._connection)

    def places(self) -> list[tuple[Place, int]]:
        """Every section with its number of characters, in the order of books and pages."""
        if self._connection is None:
            return []
        with self._lock:
            rows = self._connection.execute(
                "SELECT s.id, s.n_chars FROM section s JOIN page p ON p.id = s.page ORDER BY p.book, p.local_path, s.ordinal"
            ).fetchall()
            return [(Place.of(self._connection, section), characters) for section, characters in rows]

    def status(self) -> Status:
        """What is indexed, from where, how old."""
        with self._lock:
            return status_of(self._connection, self.folder / INDEX, self.rung, self.problem)

    def _open(self) -> sqlite3.Connection | None:
        path = self.folder / INDEX
        if not path.is_file():
            self.problem = _NOTHING
            return None
        try:
            found = schema_of(path)
            if found == SCHEMA_VERSION:
                return self._with_sections(open_to_read(path))
            what = "is damaged" if found is None else f"has schema {found}, this version reads {SCHEMA_VERSION}"
            self.problem = f"the index {path} {what}: run `warpwright docs discover` to make it anew"
        except (sqlite3.DatabaseError, UnavailableError) as error:
            self.problem = str(error)
        _logger.warning("documents are not searched: %s", self.problem)
        return None

    def _with_sections(self, connection: sqlite3.Connection) -> sqlite3.Connection | None:
        """None for an index over nothing, which is no better than none."""
        if connection.execute("SELECT EXISTS(SELECT 1 FROM section)").fetchone()[0]:
            return connection
        connection.close()
        self.problem = _NOTHING
        return None

    def _found(self, connection: sqlite3.Connection, section: int, score: float, chunk: int, query: Query) -> Found:
        place = Place.of(connection, section)
        age = None if place.fetched_at is None else max(0.0, (time.time() - place.fetched_at) / 86400)
        return Found(place.citation, snippet(connection, query, chunk, _SNIPPET), score, age)
