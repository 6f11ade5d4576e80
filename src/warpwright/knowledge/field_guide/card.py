"""A card of the field guide."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from warpwright.knowledge.citation import Citation, Reference

__all__ = ["Advice", "Card", "Guidance", "Reference"]


@dataclass(frozen=True, slots=True)
class Card:
    """One change to a kernel.

    classes: bottleneck classes it treats. when: condition over normalised counters; unknown counters leave it undecided.
    min_arch, max_arch: least and largest compute capability (90), None = any. host: lies outside a device-code-only
    candidate, so it is advice in reports and never an attempt. gain_low, gain_high: speed-up of the launch, by experience
    unless gain_basis says otherwise; None = not known beforehand. check: how to see that it worked. expects: normalised
    counter -> new over old value, a rough guess that a proposal replaces by its own. accuracy: may change results beyond
    rounding, so only where the workload's tolerance permits it. cures: of `classes`, those whose cause it takes away; other
    cards make that matter less.
    """

    id: str
    name: str
    classes: tuple[str, ...]
    when: str
    change: str
    gain_low: float | None
    gain_high: float | None
    gain_basis: str
    risk: str
    check: str
    references: tuple[Reference, ...]
    min_arch: int | None = None
    host: bool = False
    max_arch: int | None = None
    expects: Mapping[str, float] = field(default_factory=dict)
    accuracy: bool = False
    cures: tuple[str, ...] = ()

    @property
    def citation(self) -> Citation:
        """The card itself as a source."""
        return Citation(id=self.id, document="Warpwright field guide", section=self.name)

    def treats(self, bottleneck: str) -> bool:
        """True if it is for this class; `pipe_bound` on either side stands for every pipe."""
        kind, _, unit = bottleneck.partition(":")
        return any(name in {bottleneck, kind} or (not unit and name.startswith(f"{kind}:")) for name in self.classes)

    def runs_on(self, capability: int) -> bool:
        """True if GPUs of this compute capability (90) can do it."""
        return (self.min_arch or 0) <= capability <= (self.max_arch or capability)


@dataclass(frozen=True, slots=True)
class Advice:
    """A card that applies, with its sources. applies: None = its counters are unknown. gain_high: held to the class's bound."""

    card: Card
    applies: bool | None
    gain_high: float | None
    citations: tuple[Citation, ...]

    @property
    def gain_low(self) -> float | None:
        """The card's, held to the same bound."""
        low, high = self.card.gain_low, self.gain_high
        return low if low is None or high is None else min(low, high)


@dataclass(frozen=True, slots=True)
class Guidance:
    """What is advised on one bottleneck; `guidance.json`. rung: best source that was at hand (`index`, `field guide`)."""

    bottleneck: str
    arch: str
    rung: str
    advice: tuple[Advice, ...]

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation, each once."""
        found = {citation.id: citation for advice in self.advice for citation in advice.citations}
        return tuple(found.values())
