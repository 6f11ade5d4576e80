"""Writes one page, its sections and their chunks into an index; takes one out."""

import sqlite3
from collections.abc import Sequence

from warpwright.knowledge.documents.index.architectures import architectures
from warpwright.knowledge.documents.index.chunks import chunks, split_identifiers
from warpwright.knowledge.documents.index.recognition import Identity
from warpwright.knowledge.documents.index.source import PageFile
from warpwright.knowledge.documents.parsing.document import PARSER_VERSION, ParsedPage, ParsedSection


def add_page(
    connection: sqlite3.Connection, source: int, file: PageFile, identity: Identity, sha256: str, parsed: ParsedPage
) -> None:
    """Everything of one page. source: its row."""
    title = parsed.title or file.path.stem
    document = identity.document or title
    cursor = connection.execute(
        "INSERT INTO page(source, book, document, product, version, url, local_path, title, etag, last_modified, sha256,"
        " fetched_at, http_status, parser_ver, gone_at) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            source,
            identity.book,
            document,
            identity.product,
            identity.version or parsed.version,
            identity.url,
            str(file.path),
            title,
            file.etag,
            file.last_modified,
            sha256,
            file.fetched_at,
            file.http_status,
            PARSER_VERSION,
            file.gone_at,
        ),
    )
    _add_sections(connection, cursor.lastrowid or 0, document, parsed.sections)


def remove_page(connection: sqlite3.Connection, page: int) -> None:
    """Everything of one page but its entries in the full-text index, which is rebuilt afterwards."""
    connection.execute("DELETE FROM chunk WHERE section IN (SELECT id FROM section WHERE page = ?)", (page,))
    connection.execute("DELETE FROM anchor_alias WHERE page = ?", (page,))
    connection.execute("DELETE FROM section WHERE page = ?", (page,))
    connection.execute("DELETE FROM page WHERE id = ?", (page,))


def _add_sections(connection: sqlite3.Connection, page: int, document: str, sections: Sequence[ParsedSection]) -> None:
    above: list[tuple[int, int, str]] = []  # (level, row, title) of the headings that the current one is under
    single = sum(section.level == sections[0].level for section in sections) == 1 if sections else False
    for ordinal, section in enumerate(sections):
        while above and above[-1][0] >= section.level:
            above.pop()
        titles = [title for _, _, title in above]
        title = section.title or document
        tags = architectures(" / ".join((document, *titles, title)))
        row = connection.execute(
            "INSERT INTO section(page, anchor, level, number, title, path, parent, ordinal, text, n_chars, arch_tags)"
            " VALUES(?,?,?,?,?,?,?,?,?,?,?)",
            (
                page,
                section.anchor,
                section.level,
                section.number,
                title,
                " > ".join(titles[1:] if single else titles),
                above[-1][1] if above else None,
                ordinal,
                section.text,
                len(section.text),
                " ".join(str(tag) for tag in tags),
            ),
        ).lastrowid
        assert row is not None
        connection.executemany(
            "INSERT INTO anchor_alias VALUES(?,?,?)",
            [(page, alias, row) for alias in dict.fromkeys(section.aliases) if alias != section.anchor],
        )
        path = " > ".join((document, *titles))
        connection.executemany(
            "INSERT INTO chunk(section, part, title, path, text, split_ids) VALUES(?,?,?,?,?,?)",
            [
                (row, part, title, path, text, split_identifiers(f"{title} {text}"))
                for part, text in enumerate(chunks(section.blocks) if section.blocks else ("",))
            ],
        )
        above.append((section.level, row, title))
