"""How a proposal becomes an attempt: every proposer's passes here."""

from dataclasses import replace

from warpwright.loop.context import LoopContext
from warpwright.proposer.protocol import Proposal
from warpwright.record.event import Event


def begin(context: LoopContext, proposal: Proposal) -> int:
    """Number of the attempt that was begun. A citation that no look-up of this session returned is dropped and counted."""
    session = context.session
    returned = {
        citation.id
        for number in range(1, session.attempt_count + 1)
        if (guidance := session.guidance(number)) is not None
        for citation in guidance.citations
    } | set(proposal.known_citations)
    cited = proposal.hypothesis.citations
    kept = tuple(citation for citation in cited if citation in returned)
    hypothesis = replace(proposal.hypothesis, citations=kept)
    number = session.begin(
        proposal.candidate,
        hypothesis,
        proposal.proposer,
        proposal.parent,
        fabricated_citations=len(cited) - len(kept),
        reason=proposal.reason,
    )
    session.emit(Event("proposed", attempt=number, text=hypothesis.text))
    return number
