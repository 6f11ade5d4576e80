"""What verification says of one case of one candidate."""

from dataclasses import dataclass

from warpwright.workload.values import Comparison


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has to say. label: outcome with its reason (`wrong_result.unwritten`), or None for a mere note.

    check: name of the check. message: the evidence, case and indices included.
    """

    check: str
    label: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """outcome: None if the case passed, else a label (`wrong_result.unwritten`).

    comparisons: of the seed that decided it. notes: what is lawful but worth knowing. margin: worst error over its
    budget on any seed; None where nothing was compared. line: CUDA source line of a fault, where known.
    """

    outcome: str | None
    message: str
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()
    margin: float | None = None
    line: int | None = None
    deterministic: bool | None = None
    """Whether three runs of one seed with different launch history gave the same bytes (V26); None: not tried, as on the
    emulator, which runs everything in one fixed order."""
    held: Finding | None = None
    """A question about a case that passed (`suspicious.low_precision`): only a person can settle it (V31)."""
    device_us: float | None = None
    """The longest run on the device; for time limits, never a score. None: unknown."""

    @property
    def passed(self) -> bool:
        """True if every check of every seed passed."""
        return self.outcome is None
