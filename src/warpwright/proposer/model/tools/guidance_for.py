"""What the field guide advises on a class of bottleneck."""

from typing import Annotated

from pydantic import Field

from warpwright.knowledge.field_guide.guide import cards
from warpwright.knowledge.field_guide.guide import guidance_for as advise
from warpwright.proposer.model.prompt.parts.advice import card_text
from warpwright.proposer.model.prompt.subject import Subject
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool, with_citations

_CARDS = 4


class _Ask(Arguments):
    bottleneck: Annotated[
        str, Field(description="Class of bottleneck, such as dram_bound or shared_bank_conflicts.", max_length=80)
    ]


def guidance_for(aids: Aids) -> Tool:
    """The best cards for a class, judged by the parent's counters."""

    def answer(asked: _Ask) -> str:
        subject = Subject(aids.state, aids.parent, tools=True)
        guidance = advise(asked.bottleneck, subject.counters(), aids.state.gpu.arch, None, aids.library)
        chosen = [advice for advice in guidance.advice if not advice.card.host][:_CARDS]
        if not chosen:
            classes = sorted({name for card in cards().values() for name in card.classes})
            return f"No card treats that class on {aids.state.gpu.arch}. Classes: {', '.join(classes)}."
        ids = [citation.id for advice in chosen for citation in advice.citations]
        aids.returned.update(ids)
        return with_citations(ids, "\n\n".join(map(card_text, chosen)))

    return Tool(
        "guidance_for",
        "Advice on a class of bottleneck: what to change, the risk, how to see that it worked, with sources.",
        _Ask,
        answer,
    )
