"""A card of the field guide."""

from dataclasses import dataclass

from warpwright.knowledge.citation import Citation


@dataclass(frozen=True, slots=True)
class Reference:
    """A section of an NVIDIA document: key of the book (`bpg`), the section's title, its anchor."""

    book: str
    section: str
    anchor: str

    @property
    def id(self) -> str:
        """As citations name it."""
        return f"{self.book}#{self.anchor}"


@dataclass(frozen=True, slots=True)
class Card:
    """One change to a kernel.

    classes: bottleneck classes it treats. when: condition over normalised counters; unknown counters leave it undecided.
    min_arch: least compute capability (90), None = any. host: lies outside a device-code-only candidate, so it is advice
    in reports and never an attempt. gain_low, gain_high: speed-up, by experience unless gain_basis says otherwise.
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


@dataclass(frozen=True, slots=True)
class Advice:
    """A card that applies, with its sources. applies: None = its counters are unknown. gain_high: held to the class's bound."""

    card: Card
    applies: bool | None
    gain_high: float | None
    citations: tuple[Citation, ...]


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
