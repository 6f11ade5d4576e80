"""Sections cut into chunks."""

from hypothesis import given
from hypothesis import strategies as st

from warpwright.knowledge.documents.index.chunks import LIMIT, OVERLAP, chunks, split_identifiers
from warpwright.knowledge.documents.parsing.document import Block, BlockKind


def _prose(*texts: str) -> list[Block]:
    return [Block(BlockKind.PROSE, text) for text in texts]


def test_what_fits_stays_together() -> None:
    assert list(chunks([*_prose("one"), Block(BlockKind.CODE, "a\nb"), Block(BlockKind.TERM, "t: d")])) == [
        "one\na\nb\nt: d"
    ]


@given(st.lists(st.text(alphabet="abc .", min_size=1, max_size=4000), max_size=6))
def test_prose_is_cut_within_the_limit_and_no_word_is_lost(texts: list[str]) -> None:
    made = list(chunks(_prose(*texts)))
    assert all(len(chunk) <= LIMIT for chunk in made)
    words = {word for text in texts for word in text.split() if len(word) < OVERLAP}
    found = {word for chunk in made for word in chunk.split()}
    assert words <= found or any(len(w) >= OVERLAP for t in texts for w in t.split())


def test_neighbouring_chunks_of_prose_overlap() -> None:
    first, second = chunks(_prose(("word " * 200).strip(), ("other " * 200).strip()))
    assert first.endswith("word")
    assert second.startswith("word")
    assert len(first) + len(second) <= 5 * 200 + 6 * 200 + OVERLAP + 2


def test_code_is_never_cut_and_not_repeated() -> None:
    listing = "line of code\n" * 300
    made = list(chunks([*_prose("before"), Block(BlockKind.CODE, listing), *_prose("after")]))
    assert made == ["before", listing, "after"]


def test_a_long_table_gives_a_chunk_per_row_with_its_caption() -> None:
    rows = [Block(BlockKind.ROW, f"metric_{i} | {'meaning ' * 20}".strip(), "Stall reasons") for i in range(20)]
    made = list(chunks([*_prose("lead"), *rows]))
    assert made[0] == "lead"
    assert made[1] == f"Stall reasons\n{rows[0].text}"
    assert len(made) == 21


def test_a_short_table_has_its_caption_once() -> None:
    assert list(chunks([Block(BlockKind.ROW, "a | b", "Cap"), Block(BlockKind.ROW, "c | d", "Cap")])) == [
        "Cap\na | b\nc | d"
    ]


def test_parts_of_identifiers() -> None:
    assert split_identifiers("see long_scoreboard and __ldg, long_scoreboard; cp.async") == "long scoreboard ldg"
