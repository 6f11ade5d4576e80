"""Comments that stand for code, and comments that only look so."""

import pytest

from warpwright.proposer.model.reply.elision import elided
from warpwright.proposer.model.reply.lexical import lexed

CODE = "__global__ void k(float* y) {{\n    {0}\n}}\n"


@pytest.mark.parametrize(
    "comment",
    [
        "// ...",
        "// ... (as before)",
        "/* ... rest of kernel ... */",
        "// … unchanged …",
        "// same as before",
        "// [rest of the code unchanged]",
        "// The rest of the kernel stays the same",
        "// the rest remains unchanged",
        "// remaining implementation here",
        "// existing code ...",
        "// previous loop goes here",
        "// unchanged",
        "// everything is unchanged",
        "// loop body omitted",
        "// omitted for brevity",
        "// your implementation here",
        "// insert original code here",
        "// load the tile as above, and so on ...",
        "...",
        "{ ... }",
    ],
)
def test_a_source_that_stands_for_more_is_not_whole(comment: str) -> None:
    source = CODE.format(comment)
    said = elided(lexed(source), source, frozenset())
    assert said is not None
    assert "line 2" in said


@pytest.mark.parametrize(
    "comment",
    [
        "// x0, x1, ..., x7",
        "// columns t, t + 32, ... of the row",
        "// the rest of the row is done by scalar loads",
        "// remaining elements, at most three",
        "// handles the remaining columns (cols % 4)",
        "// same column, next row",
        "// the original value is kept in a register",
        "// previous tile is still in use, so wait",
        "// code paths diverge only in the last block",
        "// unroll the loop over the body of a tile",
        "template <typename... T> struct Pack;",
        'printf("... same as before ...");',
        "// sum of all parts; the order is unchanged by the shuffle",
        "int a = b ? c : d; // rest",
    ],
)
def test_a_comment_that_explains_code_is_no_elision(comment: str) -> None:
    source = CODE.format(comment)
    assert elided(lexed(source), source, frozenset()) is None


def test_a_comment_of_the_source_that_was_shown_may_stay() -> None:
    source = CODE.format("// ... and then the rest")
    shown = frozenset(comment for _, comment in lexed(source).comments)
    assert elided(lexed(source), source, frozenset()) is not None
    assert elided(lexed(source), source, shown) is None
