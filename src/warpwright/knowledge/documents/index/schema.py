"""The index file: its tables, and how it is opened."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from warpwright.errors import UnavailableError

SCHEMA_VERSION: Final = 1
TOKENIZER: Final = "porter unicode61 tokenchars '_'"
"""Identifiers stay whole (`long_scoreboard`); the column split_ids holds their parts."""

TABLES: Final = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE source(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, root TEXT NOT NULL, product TEXT,
  version TEXT, licence_note TEXT, priority INTEGER NOT NULL, UNIQUE(kind, root));
CREATE TABLE page(id INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES source, book TEXT NOT NULL,
  document TEXT NOT NULL, product TEXT, version TEXT, url TEXT, local_path TEXT NOT NULL, title TEXT NOT NULL, etag TEXT,
  last_modified TEXT, sha256 TEXT NOT NULL, fetched_at REAL, http_status INTEGER, parser_ver INTEGER NOT NULL,
  gone_at REAL, UNIQUE(source, local_path));
CREATE TABLE section(id INTEGER PRIMARY KEY, page INTEGER NOT NULL REFERENCES page, ref TEXT, anchor TEXT NOT NULL,
  level INTEGER NOT NULL, number TEXT NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL, parent INTEGER,
  ordinal INTEGER NOT NULL, text TEXT NOT NULL, n_chars INTEGER NOT NULL, arch_tags TEXT NOT NULL);
CREATE TABLE anchor_alias(page INTEGER NOT NULL REFERENCES page, alias TEXT NOT NULL, section INTEGER NOT NULL
  REFERENCES section);
CREATE TABLE chunk(id INTEGER PRIMARY KEY, section INTEGER NOT NULL REFERENCES section, part INTEGER NOT NULL,
  title TEXT NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL, split_ids TEXT NOT NULL);
CREATE VIRTUAL TABLE chunk_fts USING fts5(title, path, text, split_ids, content='chunk', content_rowid='id',
  tokenize="{TOKENIZER}");
CREATE TABLE term(stem TEXT PRIMARY KEY, chunks INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX section_ref ON section(ref);
CREATE INDEX section_page ON section(page, ordinal);
CREATE INDEX section_anchor ON section(anchor);
CREATE INDEX alias_alias ON anchor_alias(alias);
CREATE INDEX alias_page ON anchor_alias(page);
CREATE INDEX chunk_section ON chunk(section);
CREATE INDEX page_book ON page(book);
"""


def create(path: Path) -> sqlite3.Connection:
    """A new, empty index that nothing else reads yet. Raises: UnavailableError if SQLite lacks FTS5."""
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-32000;")
    require_fts5(connection)
    connection.executescript(TABLES)
    connection.execute("INSERT INTO meta VALUES('schema_version', ?)", (str(SCHEMA_VERSION),))
    return connection


def open_to_change(path: Path) -> sqlite3.Connection:
    """A copy of an index, to be brought up to date before it replaces the original."""
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-32000;")
    require_fts5(connection)
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """The index, read-only. Raises: sqlite3.Error, or UnavailableError if SQLite lacks FTS5."""
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, check_same_thread=False)
    require_fts5(connection)
    return connection


def schema_of(path: Path) -> int | None:
    """Schema version of an index file; None if there is none or it is not an index."""
    if not path.is_file():
        return None
    try:
        with closing(open_to_read(path)) as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    except sqlite3.DatabaseError:
        return None
    return int(row[0]) if row else None


def require_fts5(connection: sqlite3.Connection) -> None:
    """Raises: UnavailableError if this Python's SQLite has no full-text search."""
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.fts5_probe USING fts5(x)")
        connection.execute("DROP TABLE temp.fts5_probe")
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        raise UnavailableError(
            f"SQLite {sqlite3.sqlite_version} of this Python lacks FTS5 ({error}), which the index needs. Use a Python whose "
            "sqlite3 has it, such as that of python.org, uv, conda or Debian."
        ) from error
