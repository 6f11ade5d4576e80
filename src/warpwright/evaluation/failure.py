"""Why a candidate went no further: an outcome with its reason and the evidence."""

from dataclasses import dataclass

from warpwright.evaluation.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Failure:
    """label: outcome and reason (`crash.misaligned`). line: CUDA source line, where known."""

    label: str
    message: str
    line: int | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome without its reason."""
        return Outcome(self.label.partition(".")[0])

    @property
    def reason(self) -> str | None:
        """The dotted suffix, or None."""
        return self.label.partition(".")[2] or None
