"""Brings the index up to date: a copy is changed and then takes the place of the original."""

import hashlib
import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from warpwright.errors import InfrastructureError, InputError, UnavailableError
from warpwright.knowledge.documents.index.pages import add_page, remove_page
from warpwright.knowledge.documents.index.recognition import Identity, recognise
from warpwright.knowledge.documents.index.schema import SCHEMA_VERSION, create, open_to_change, schema_of
from warpwright.knowledge.documents.index.source import PRIORITY, PageFile, Source
from warpwright.knowledge.documents.parsing.document import PARSER_VERSION, ParsedPage
from warpwright.knowledge.documents.parsing.error_page import error_page
from warpwright.knowledge.documents.parsing.read import parse

_logger = logging.getLogger(__name__)
_PAGE_LIMIT = 64 * 2**20
"""Bytes of a file that is still indexed; the largest of NVIDIA's guides has a tenth of it."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did. pages: in the index now; parsed: new or changed. failed: file and reason. seconds: wall clock."""

    pages: int
    parsed: int
    removed: int
    sections: int
    chunks: int
    failed: tuple[tuple[str, str], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file that belongs into the index."""

    source: Source
    file: PageFile
    identity: Identity


def build(path: Path, sources: Mapping[Source, Sequence[PageFile]]) -> Built:
    """Index of exactly these files at `path`. Files whose bytes and parser are those of the last time are kept as they are.

    Raises: InfrastructureError if the disk is full or not writable, UnavailableError without FTS5.
    """
    start = time.monotonic()
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    wanted = _preferred(sources)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            built = _changed(path, temporary, wanted, start)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) or not path.exists():
                raise
            _logger.warning("the index %s is damaged (%s); it is made anew", path, error)
            path.unlink()
            built = _changed(path, temporary, wanted, start)
        temporary.replace(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise InfrastructureError(
            f"the index {path} was not changed: {error}. Free space there or choose another folder, then run the command again."
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return built


def _changed(path: Path, temporary: Path, wanted: Sequence[_Wanted], start: float) -> Built:
    """The index as it should be, in the temporary file."""
    with suppress(OSError):
        temporary.unlink(missing_ok=True)
    usable = schema_of(path) == SCHEMA_VERSION
    if usable:
        shutil.copyfile(path, temporary)
    with closing(open_to_change(temporary) if usable else create(temporary)) as connection:
        parsed, removed, failed = _bring_up_to_date(connection, wanted)
        if parsed or removed or not usable:
            _finish(connection)
        connection.commit()
        pages, sections, pieces = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("page", "section", "chunk")
        )
    return Built(pages, parsed, removed, sections, pieces, tuple(failed), time.monotonic() - start)


def _preferred(sources: Mapping[Source, Sequence[PageFile]]) -> list[_Wanted]:
    """Every file, without the books that a source of higher priority holds too.

    Of several installations of one product only the newest gives pages that are in no known book (release notes, samples).
    """
    found = [_Wanted(source, file, recognise(source, file)) for source, files in sources.items() for file in files]
    best: dict[str, Source] = {}
    for item in found:
        held = best.get(_subject(item))
        if held is None or _rank(item.source) > _rank(held):
            best[_subject(item)] = item.source
    return [item for item in found if best[_subject(item)] is item.source]


def _subject(item: _Wanted) -> str:
    """What only one source may give: a known book, or an installed product's other pages, or the page itself."""
    installed = item.identity.document is None and item.source.priority == PRIORITY["installed"]
    return f"other pages of {item.source.product}" if installed else item.identity.book


def _rank(source: Source) -> tuple[int, tuple[int, ...]]:
    numbers = tuple(int(part) for part in (source.version or "").split(".") if part.isdigit())
    return source.priority, numbers


def _bring_up_to_date(
    connection: sqlite3.Connection, wanted: Sequence[_Wanted]
) -> tuple[int, int, list[tuple[str, str]]]:
    """Pages parsed, pages taken out, files that could not be read."""
    rows = _source_rows(connection, {item.source for item in wanted})
    known = {
        (source, local): (page, sha256, version, book)
        for page, source, local, sha256, version, book in connection.execute(
            "SELECT id, source, local_path, sha256, parser_ver, book FROM page"
        )
    }
    parsed, failed = 0, []
    for item in wanted:
        key = (rows[item.source], str(item.file.path))
        try:
            content = _content(item.file.path)
            sha256 = hashlib.sha256(content).hexdigest()
            held = known.get(key)
            if held is not None and held[1:] == (sha256, PARSER_VERSION, item.identity.book):
                _refresh(connection, held[0], item)
                del known[key]
                continue
            page = _document(content, item.file.path.name)
        except (InputError, UnavailableError, OSError) as error:
            failed.append((str(item.file.path), str(error)))
            continue
        if held is not None:
            remove_page(connection, known.pop(key)[0])
        add_page(connection, key[0], item.file, item.identity, sha256, page)
        parsed += 1
    for page_row, *_ in known.values():
        remove_page(connection, page_row)
    connection.execute("DELETE FROM source WHERE id NOT IN (SELECT source FROM page)")
    return parsed, len(known), failed


def _document(content: bytes, name: str) -> ParsedPage:
    """Raises: InputError for what cannot be read and for an error page that was saved as a document; UnavailableError."""
    page = parse(content, name)
    said = error_page(content, name, page)
    if said is not None:
        raise InputError(f"{said}, not a document. Delete it, or save the page again.")
    return page


def _content(path: Path) -> bytes:
    size = path.stat().st_size
    if size > _PAGE_LIMIT:
        raise InputError(f"{size / 2**20:.0f} MiB; files over {_PAGE_LIMIT // 2**20} MiB are not indexed. Split it.")
    return path.read_bytes()


def _source_rows(connection: sqlite3.Connection, sources: set[Source]) -> dict[Source, int]:
    rows = {}
    for source in sorted(sources, key=lambda source: source.name):
        values = (source.name, source.product, source.version, source.licence_note, source.priority)
        connection.execute(
            "INSERT INTO source(name, product, version, licence_note, priority, kind, root) VALUES(?,?,?,?,?,?,?) ON CONFLICT"
            "(kind, root) DO UPDATE SET (name, product, version, licence_note, priority) = (?,?,?,?,?)",
            (*values, str(source.kind), str(source.root), *values),
        )
        where = (str(source.kind), str(source.root))
        rows[source] = connection.execute("SELECT id FROM source WHERE kind = ? AND root = ?", where).fetchone()[0]
    return rows


def _refresh(connection: sqlite3.Connection, page: int, item: _Wanted) -> None:
    """What may change while the bytes stay: when it was fetched, where it is cited, the version of its source."""
    file, identity = item.file, item.identity
    connection.execute(
        "UPDATE page SET etag = ?, last_modified = ?, fetched_at = ?, http_status = ?, gone_at = ?, url = ?,"
        " version = coalesce(?, version) WHERE id = ?",
        (
            file.etag,
            file.last_modified,
            file.fetched_at,
            file.http_status,
            file.gone_at,
            identity.url,
            identity.version,
            page,
        ),
    )


def _finish(connection: sqlite3.Connection) -> None:
    """Ids of sections, full-text index, frequencies of terms."""
    _name_sections(connection)
    connection.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('rebuild')")
    connection.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('optimize')")
    connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, chunk_fts, row)")
    connection.execute("DELETE FROM term")
    connection.execute("INSERT INTO term SELECT term, doc FROM temp.vocabulary")
    connection.execute("DROP TABLE temp.vocabulary")
    connection.execute("INSERT OR REPLACE INTO meta VALUES('built_at', ?)", (str(time.time()),))


def _name_sections(connection: sqlite3.Connection) -> None:
    """`book#anchor`; where a book has an anchor on several pages, the first keeps it and the others add their page."""
    taken: set[str] = set()
    names = []
    rows = connection.execute(
        "SELECT s.id, p.book, s.anchor, p.local_path FROM section s JOIN page p ON p.id = s.page"
        " ORDER BY p.book, p.local_path, s.ordinal"
    )
    for section, book, anchor, local in rows:
        name = f"{book}#{anchor}" if anchor else book
        if name in taken:
            name = f"{book}/{Path(local).name.split('.')[0]}#{anchor}"
        count = 1
        unique = name
        while unique in taken:
            count += 1
            unique = f"{name}~{count}"
        taken.add(unique)
        names.append((unique, section))
    connection.executemany("UPDATE section SET ref = ? WHERE id = ?", names)
