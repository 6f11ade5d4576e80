"""The hypothesis in a reply."""

from warpwright.proposer.model.reply.parse import ParsedReply
from warpwright.record.attempt import Hypothesis


def hypothesis_of(parsed: ParsedReply, bottleneck: str | None = None) -> Hypothesis:
    """Why the candidate should be faster, as the model says. bottleneck: of the finding that it was asked to treat."""
    header = parsed.header
    return Hypothesis(
        technique=header.technique,
        text=header.hypothesis,
        expects=dict(header.expects),
        bottleneck=bottleneck,
        card=header.card,
        citations=tuple(dict.fromkeys(header.citations)),
    )
