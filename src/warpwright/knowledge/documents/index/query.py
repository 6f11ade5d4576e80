"""Questions to full-text queries, and what the index answers."""

import math
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from threading import Lock
from typing import Final

from warpwright.knowledge.documents.index.schema import TOKENIZER

_WORD: Final = re.compile(r"\w+")
_STOP: Final = frozenset((files("warpwright.knowledge.documents.index") / "stop_words.txt").read_text("utf-8").split())
_CANDIDATES: Final = 60
"""Chunks that are looked at before they are grouped by section."""
_MOST_TERMS: Final = 24
_COVERAGE: Final = 0.4
"""Share of a question, weighted by how rare its words are, that a section must hold to count as relevant."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question made ready. match: FTS5 expression, "" if no word is left. weights: how telling each of its words is."""

    match: str
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Hit:
    """A section's best chunk. score: BM25, higher is better."""

    section: int
    chunk: int
    score: float


class Stems:
    """The index's own tokenizer, applied to any text. One connection in memory; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.executescript(
            f'CREATE VIRTUAL TABLE word USING fts5(text, tokenize="{TOKENIZER}");'
            "CREATE VIRTUAL TABLE stem USING fts5vocab(word, row);"
        )

    def __call__(self, text: str) -> frozenset[str]:
        """Stems of the words of a text."""
        with self._lock:
            self._connection.execute("DELETE FROM word")
            self._connection.execute("INSERT INTO word VALUES(?)", (text,))
            return frozenset(row[0] for row in self._connection.execute("SELECT term FROM stem"))

    def close(self) -> None:
        """Free the connection."""
        self._connection.close()


def prepare(question: str, frequencies: "Frequencies", stems: Stems) -> Query:
    """Words quoted as literals and joined by OR: in a raw question `-`, `:` and `"` would be syntax.

    Words in more than half of all chunks carry no weight in BM25 and are left out, unless there is nothing else.
    """
    words = [word for word in dict.fromkeys(_WORD.findall(question.lower())) if word.strip("_")]
    telling = [word for word in words if word not in _STOP] or words
    weights = {word: frequencies.weight(stems(word)) for word in telling}
    rare = [word for word in telling if weights[word] > 0] or telling
    chosen = sorted(rare, key=lambda word: -weights[word])[:_MOST_TERMS]
    literals = [_literal(word) for word in chosen]
    literals += [_literal(word.replace("_", " ").strip()) for word in chosen if "_" in word.strip("_")]
    return Query(" OR ".join(literals), weights)


def _literal(words: str) -> str:
    return f'"{words}"'


class Frequencies:
    """In how many chunks a stem occurs."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._chunks: int = connection.execute("SELECT count(*) FROM chunk").fetchone()[0]

    def weight(self, stems: Iterable[str]) -> float:
        """Inverse document frequency, as BM25 has it, of the rarest stem; 0 for what is in over half of the chunks."""
        return max((self._of_one(stem) for stem in stems), default=0.0)

    def _of_one(self, stem: str) -> float:
        row = self._connection.execute("SELECT chunks FROM term WHERE stem = ?", (stem,)).fetchone()
        found = row[0] if row else 0
        return max(0.0, math.log((self._chunks - found + 0.5) / (found + 0.5))) if self._chunks else 0.0


def matches(connection: sqlite3.Connection, query: Query, product: str | None, arch: int | None) -> list[Hit]:
    """Sections that hold words of a question, the best first. arch: leaves out sections about other architectures only."""
    if not query.match:
        return []
    where, values = _filter(product, arch)
    rows = connection.execute(
        "SELECT c.section, c.id, -bm25(chunk_fts, 6, 2, 1, 1) AS score FROM chunk_fts JOIN chunk c ON c.id = chunk_fts.rowid"
        f"{where} WHERE chunk_fts MATCH ? ORDER BY score DESC LIMIT ?",
        (*values, query.match, _CANDIDATES),
    )
    best: dict[int, Hit] = {}
    for section, chunk, score in rows:
        best.setdefault(section, Hit(section, chunk, score))
    return list(best.values())


def _filter(product: str | None, arch: int | None) -> tuple[str, Sequence[object]]:
    if product is None and arch is None:
        return "", ()
    parts, values = ["s.id = c.section"], []
    if arch is not None:
        parts.append("(s.arch_tags = '' OR ' ' || s.arch_tags || ' ' LIKE ?)")
        values.append(f"% {arch} %")
    join = f" JOIN section s ON {' AND '.join(parts)}"
    if product is not None:
        join += " JOIN page p ON p.id = s.page AND p.product = ?"
        values.append(product)
    return join, values


def relevant(connection: sqlite3.Connection, hits: Sequence[Hit], query: Query) -> list[Hit]:
    """Hits whose best chunk, with its headings, holds enough of the question."""
    total = sum(query.weights.values())
    if not total:
        return list(hits)
    places = ",".join("?" * len(hits))
    held = dict.fromkeys((hit.chunk for hit in hits), 0.0)
    for word, weight in query.weights.items():
        for (chunk,) in connection.execute(
            f"SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? AND rowid IN ({places})", (_literal(word), *held)
        ):
            held[chunk] += weight
    return [hit for hit in hits if held[hit.chunk] >= _COVERAGE * total]


def snippet(connection: sqlite3.Connection, query: Query, chunk: int, limit: int) -> str:
    """Words around the best place of a chunk, at most `limit` characters."""
    row = connection.execute(
        "SELECT snippet(chunk_fts, 2, '', '', ' … ', 48) FROM chunk_fts WHERE chunk_fts MATCH ? AND rowid = ?",
        (query.match, chunk),
    ).fetchone()
    text = " ".join(row[0].split()) if row else ""
    return text if len(text) <= limit else f"{text[: limit - 2].rsplit(' ', 1)[0]} …"
