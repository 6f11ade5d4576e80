"""Sections cut into the pieces that are searched."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from warpwright.knowledge.documents.parsing.document import Block, BlockKind

LIMIT: Final = 1800
"""Characters of a chunk; a listing, a table row or a term that is longer stays whole."""
OVERLAP: Final = 150
"""Characters of prose that a chunk repeats from the one before."""
_IDENTIFIER: Final = re.compile(r"\w*_\w+")
_ITEMS: Final = (BlockKind.ROW, BlockKind.TERM)


def chunks(blocks: Sequence[Block]) -> Iterator[str]:
    """Texts of at most LIMIT characters, in order. A table or list of terms longer than that gives one chunk per item."""
    gathered: list[Block] = []
    for is_item, run in groupby(blocks, lambda block: block.kind in _ITEMS):
        items = list(run)
        if is_item and sum(len(block.text) for block in items) > LIMIT:
            yield from _packed(gathered)
            gathered = []
            for block in items:
                yield f"{block.caption}\n{block.text}" if block.caption else block.text
        else:
            gathered += _captioned(items) if is_item else items
    yield from _packed(gathered)


def split_identifiers(text: str) -> str:
    """The parts of every identifier that holds `_`, so that `long scoreboard` finds `long_scoreboard`."""
    return " ".join(name.replace("_", " ").strip() for name in dict.fromkeys(_IDENTIFIER.findall(text)))


def _captioned(items: Iterable[Block]) -> Iterator[Block]:
    """Each caption once, in front of its rows."""
    caption = ""
    for block in items:
        if block.caption and block.caption != caption:
            caption = block.caption
            yield Block(BlockKind.ROW, caption)
        yield block


def _packed(blocks: Sequence[Block]) -> Iterator[str]:
    """Blocks put together up to LIMIT."""
    parts: list[str] = []
    size = 0
    after_prose = False
    for block in blocks:
        for piece in _pieces(block):
            if parts and size + len(piece) + 1 > LIMIT:
                yield "\n".join(parts)
                prose = after_prose and block.kind is BlockKind.PROSE and len(piece) + OVERLAP < LIMIT
                parts = [_tail(parts[-1])] if prose else []
                size = sum(map(len, parts))
            parts.append(piece)
            size += len(piece) + 1
            after_prose = block.kind is BlockKind.PROSE
    if parts:
        yield "\n".join(parts)


def _pieces(block: Block) -> Iterator[str]:
    """Prose cut at sentence ends or spaces; anything else whole."""
    text = block.text
    while block.kind is BlockKind.PROSE and len(text) > LIMIT:
        cut = text.rfind(". ", LIMIT // 2, LIMIT) + 1 or text.rfind(" ", LIMIT // 2, LIMIT) or LIMIT
        cut = cut if cut > 0 else LIMIT
        yield text[:cut].rstrip()
        text = f"{_tail(text[:cut])} {text[cut:].lstrip()}".strip()
    if text:
        yield text


def _tail(text: str) -> str:
    """The last words, at most OVERLAP characters."""
    return text if len(text) <= OVERLAP else text[-OVERLAP:].split(" ", 1)[-1]
