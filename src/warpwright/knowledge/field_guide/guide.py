"""From a bottleneck class to what is advised on it: cards with their sources, without any search."""

import re
from collections.abc import Iterable, Mapping
from math import sqrt

from warpwright.conditions.language import parse_condition
from warpwright.errors import InputError
from warpwright.knowledge import books
from warpwright.knowledge.books import SectionFinder
from warpwright.knowledge.citation import Citation, Reference
from warpwright.knowledge.field_guide.card import Advice, Card, Guidance
from warpwright.knowledge.field_guide.history import Results, by_results
from warpwright.knowledge.field_guide.reader import cards

__all__ = ["FACTS", "STOP", "cards", "guidance_for"]

FACTS: Mapping[str, str] = {
    "unique_bytes": "bytes that the case must read and write at least once",
    "matmul_like": "1 if the workload multiplies matrices, else 0",
    "launches": "launches of the candidate",
}
"""Names in conditions that are no counters: a caller that knows them puts them beside the counters."""
STOP = "FG-41"
"""The one card of `at_the_roof`: report and end."""
_ROOF = "at_the_roof"
_INDEX, _FIELD_GUIDE = "index", "field guide"


def guidance_for(
    bottleneck: str,
    counters: Mapping[str, float],
    arch: str,
    bound: float | None = None,
    finder: SectionFinder | None = None,
    history: Results | None = None,
) -> Guidance:
    """The cards for a class, best first: those whose condition holds, then those undecided; what only the host can do last.
    Among equals a cure of the class itself goes first, then what may gain most.

    bottleneck: a class, with or without its unit. counters: normalised counters that are known, with FACTS. arch: `sm_90`.
    bound: largest speed-up that curing the class could bring. finder: index over documents; without one, citations lead to
    NVIDIA's public pages. history: what cards brought on this arch. Raises: InputError for another arch.
    """
    capability = _capability(arch)
    if bottleneck.partition(":")[0] == _ROOF:
        chosen = [cards()[STOP]]
    else:
        chosen = [card for card in cards().values() if card.treats(bottleneck) and card.runs_on(capability)]
    decided = [(card, parse_condition(card.when).answer(counters).holds) for card in chosen]
    open_cards = [(by_results(card, history), holds) for card, holds in decided if holds is not False]
    indexed = _indexed((card for card, _ in open_cards), finder)
    advised = sorted(
        (_advice(card, holds, bound, indexed) for card, holds in open_cards),
        key=lambda advice: (*precedence(advice, bottleneck), -expected_gain(advice)),
    )
    return Guidance(bottleneck, arch, _INDEX if indexed else _FIELD_GUIDE, tuple(advised))


def precedence(advice: Advice, bottleneck: str) -> tuple[bool, bool, bool]:
    """What goes before the gain; False comes first. A cure that own results know to bring nothing is none."""
    cures = bottleneck.partition(":")[0] in advice.card.cures and expected_gain(advice) > 1.0
    return advice.card.host, not advice.applies, not cures


def expected_gain(advice: Advice) -> float:
    """Geometric middle of the gain, its upper end held to the bound of the class; 1 = nothing known."""
    low = advice.gain_low or 1.0
    high = advice.gain_high if advice.gain_high is not None else low
    return sqrt(low * high)


def _indexed(chosen: Iterable[Card], finder: SectionFinder | None) -> Mapping[Reference, Citation]:
    """The sections that the index knows."""
    if finder is None:
        return {}
    wanted = dict.fromkeys(reference for card in chosen for reference in card.references)
    found = {reference: finder.cite(reference) for reference in wanted}
    return {reference: citation for reference, citation in found.items() if citation is not None}


def _advice(card: Card, holds: bool | None, bound: float | None, indexed: Mapping[Reference, Citation]) -> Advice:
    ends = [end for end in (card.gain_high, bound) if end is not None]
    high = min(ends) if ends and card.gain_low is not None else None
    sources = (indexed.get(reference) or books.cite(reference) for reference in card.references)
    return Advice(card, holds, high, (card.citation, *sources))


def _capability(arch: str) -> int:
    match = re.fullmatch(r"sm_(\d{2,3})[af]?", arch)
    if match is None:
        raise InputError(f"{arch!r} is no GPU architecture; it looks like sm_90.")
    return int(match.group(1))
