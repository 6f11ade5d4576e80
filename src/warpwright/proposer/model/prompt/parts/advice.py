"""What the field guide advises on the finding, with sources; and what other sessions learned."""

from collections.abc import Sequence

from warpwright.knowledge.citation import Citation
from warpwright.knowledge.field_guide.card import Advice
from warpwright.knowledge.field_guide.reader import EXPERIENCE
from warpwright.profiler.counters import metrics
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line, quoted, visible
from warpwright.proposer.model.prompt.subject import Subject
from warpwright.proposer.strategist.expectation import cooling_cards
from warpwright.units import format_ratio


def chosen(subject: Subject) -> tuple[Advice, ...]:
    """The cards that are shown: what a kernel can do, without those that rest."""
    guidance = subject.guidance()
    if guidance is None:
        return ()
    resting = cooling_cards(subject.state)
    precise = not subject.workload.policy.lower_precision
    fit = [
        a for a in guidance.advice if not a.card.host and a.card.id not in resting and not (precise and a.card.accuracy)
    ]
    return tuple(fit[: limits().cards_with_tools if subject.tools else limits().cards_without_tools])


def advice(cards: Sequence[Advice]) -> str:
    """Each card with what it changes, its risk, how to see that it worked, and its sources."""
    if not cards:
        return ""
    return clipped("\n\n".join(["## Advice on it", *(card_text(each) for each in cards)]), limits().advice)


def card_text(given: Advice) -> str:
    """One card."""
    card = given.card
    state = {True: "its counters fit", False: "its counters do not fit", None: "not all of its counters are known"}
    lines = [
        f"{card.id} {card.name} ({state[given.applies]}{_gain(given)})",
        clipped(visible(card.change).strip(), limits().card_text),
    ]
    lines.append(f"Risk: {one_line(card.risk, limits().line)}")
    lines.append(f"Worked if: {one_line(card.check, limits().line)}")
    if card.expects:
        lines.append(
            "Expects about: "
            + ", ".join(f"{name} x{ratio:g}" for name, ratio in card.expects.items() if name in metrics())
        )
    lines.append("Sources: " + "; ".join(source(citation) for citation in given.citations))
    return "\n".join(lines)


def source(citation: Citation) -> str:
    """`[bpg#coalesced-access] CUDA C++ Best Practices Guide 13.0 > Coalesced Access`, in one line."""
    return f"[{one_line(citation.id, limits().title)}] {one_line(citation.text, limits().title)}"


def learned(texts: Sequence[str]) -> str:
    """What was learned in other sessions."""
    if not texts:
        return ""
    shown = [f"- {one_line(text, limits().line)}" for text in texts[: limits().hints_shown]]
    return "## From other sessions on similar work\n" + quoted("hints", "\n".join(shown), limits().hints)


def _gain(given: Advice) -> str:
    low, high = given.card.gain_low, given.gain_high
    if low is None or high is None:
        return ""
    if high <= low:
        return f"; brings {format_ratio(high)} at most here"
    basis = given.card.gain_basis
    return f"; brings {format_ratio(low)} to {format_ratio(high)}{' by' if basis == EXPERIENCE else ','} {basis}"
