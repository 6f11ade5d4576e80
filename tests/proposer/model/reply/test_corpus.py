"""Every known shape of a reply gives the source that the model wrote, or the fault that it has."""

import pytest

from proposer.model.reply.corpus import HERE, USABLE, Shape, judged, shapes
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply


@pytest.mark.parametrize("shape", shapes(), ids=lambda shape: shape.name)
def test_a_reply_gives_its_source_or_its_fault(shape: Shape) -> None:
    result = judged(shape.reply)
    if shape.verdict == USABLE:
        assert not isinstance(result, BadReply), result.verdict
        assert result[0].source == shape.expected_source
        assert result[1].source == shape.expected_source
        return
    assert isinstance(result, BadReply)
    assert result.kind == shape.verdict, result.verdict
    for words in shape.detail:
        assert words in result.detail


def test_the_corpus_is_whole() -> None:
    """Every file is expected something of, there are enough, and every kind of fault occurs."""
    names = {shape.name for shape in shapes()}
    assert names == {path.stem for path in HERE.glob("*.md")}
    assert len(names) >= 60
    assert {shape.verdict for shape in shapes()} == {USABLE, *BadKind}
