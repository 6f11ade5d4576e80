"""What a card really brought: own results take the place of experience once there are enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from warpwright.knowledge.field_guide.card import Card

ENOUGH = 3
"""Results on the same architecture before they replace the card's range."""


@dataclass(frozen=True, slots=True)
class Results:
    """What cards brought on one architecture.

    gains: card -> old over new time of every attempt that carried it out. measured: all by times taken on hardware; False: by
    a cost model's estimates. The two are never mixed.
    """

    gains: Mapping[str, Sequence[float]]
    measured: bool


def by_results(card: Card, results: Results | None) -> Card:
    """The card with the range of its speed-ups, if there are enough; losses count as they are (0.9)."""
    gains = () if results is None else results.gains.get(card.id, ())
    if results is None or len(gains) < ENOUGH:
        return card
    basis = f"{'measured' if results.measured else 'estimated'}, n = {len(gains)}"
    return replace(card, gain_low=min(gains), gain_high=max(gains), gain_basis=basis)
