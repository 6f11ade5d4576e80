"""Changes to CUDA source by byte range, checked by parsing the result; and a form of source for finding duplicates."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from warpwright.candidate.source import SourceFile, parse_source
from warpwright.candidate.source_nodes import text_of
from warpwright.errors import CandidateError


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Bytes `start` to `end` of the UTF-8 source become `text`; equal ends insert."""

    start: int
    end: int
    text: str


def replace_node(node: Node, text: str) -> Edit:
    """The node's text becomes `text`."""
    return Edit(node.start_byte, node.end_byte, text)


def insert_before(node: Node, text: str) -> Edit:
    """`text` goes in front of the node."""
    return Edit(node.start_byte, node.start_byte, text)


def insert_after(node: Node, text: str) -> Edit:
    """`text` follows the node."""
    return Edit(node.end_byte, node.end_byte, text)


def edited_text(text: str, edits: Iterable[Edit], offset: int = 0) -> str:
    """The text after all edits. offset: byte position of `text` in the file that the edits count from.

    Edits may touch but not overlap; inserts at one place keep their order. Raises: CandidateError if two overlap.
    """
    source = text.encode()
    pieces: list[bytes] = []
    position = offset
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < position:
            raise CandidateError(f"two edits overlap at byte {edit.start}: {edit.text[:40]!r}.")
        pieces += [source[position - offset : edit.start - offset], edit.text.encode()]
        position = edit.end
    pieces.append(source[position - offset :])
    return b"".join(pieces).decode()


def edited_node(node: Node, edits: Iterable[Edit]) -> str:
    """The node's text after the edits that lie inside it."""
    inside = [e for e in edits if node.start_byte <= e.start and e.end <= node.end_byte]
    return edited_text(text_of(node), inside, node.start_byte)


def apply_edits(source: SourceFile, edits: Iterable[Edit]) -> SourceFile:
    """The file after all edits. Raises: CandidateError with the line if it no longer parses where it did before."""
    result = parse_source(edited_text(source.text, edits), source.name)
    if len(result.problems) > len(source.problems):
        worst = result.problems[0]
        raise CandidateError(f"{source.name}:{worst.line}: the edited source does not parse: {worst.text!r}.")
    return result


def normalised(text: str) -> str:
    """Source as its tokens one space apart, without comments: equal for sources that differ only in layout."""
    tokens: list[str] = []
    pending = [parse_source(text).tree.root_node]
    while pending:
        node = pending.pop()
        if node.type == "comment":
            continue
        if node.child_count == 0 or node.type in ("string_literal", "char_literal"):
            tokens.append(text_of(node).strip())
        else:
            pending.extend(reversed(node.children))
    return " ".join(token for token in tokens if token)


@lru_cache(maxsize=512)
def normalised_hash(text: str) -> str:
    """SHA-256 of the normalised source; remembered, since a search asks for that of every attempt again and again."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()
