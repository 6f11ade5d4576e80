"""What a card really brought: own results take the place of experience once there are enough."""

from collections.abc import Sequence
from dataclasses import replace

from warpwright.knowledge.field_guide.card import Card

ENOUGH = 3
"""Results on the same architecture before they replace the card's range."""


def measured(card: Card, gains: Sequence[float]) -> Card:
    """The card with the range of these speed-ups, if there are enough; losses count as they are (0.9).

    gains: old over new time of every attempt that carried out this card on one architecture.
    """
    if len(gains) < ENOUGH:
        return card
    return replace(card, gain_low=min(gains), gain_high=max(gains), gain_basis=f"measured, n = {len(gains)}")
