"""Every output against the oracle, all elements (V10 to V14)."""

from warpwright.verifier.evidence import SURFING_MARGIN, Evidence, worst_margin
from warpwright.verifier.verdict import Finding
from warpwright.workload.values import Comparison, Mismatch

SHOWN = 3
"""Wrong elements that a message shows of each output."""


class MatchesOracle:
    """Reports each output beyond tolerance with its first wrong elements, and outputs that only just pass."""

    name = "matches_oracle"

    def examine(self, evidence: Evidence) -> tuple[Finding, ...]:
        """Findings of the first run that fails; notes of narrow passes otherwise."""
        which = " (secret seed)" if evidence.secret_seed else ""
        for run in evidence.runs:
            wrong = [c for c in run.comparisons if not c.passed]
            if wrong:
                return tuple(
                    Finding(
                        self.name, f"wrong_result.{c.reason or 'mismatch'}", f"{evidence.where}{which}: {describe(c)}"
                    )
                    for c in wrong
                )
        return tuple(
            Finding(self.name, None, f"{evidence.where}: {c.output} uses {worst_margin(c):.0%} of its error budget")
            for c in evidence.runs[0].comparisons
            if worst_margin(c) > SURFING_MARGIN
        )


def describe(comparison: Comparison) -> str:
    """The comparator's message, which names the first wrong element, and the next ones."""
    further = "".join(f"; {element(comparison.output, mismatch)}" for mismatch in comparison.first[1:SHOWN])
    return comparison.message + further


def element(output: str, mismatch: Mismatch) -> str:
    """One wrong element: `y[3, 7]: got 1.5, want 2`."""
    index = ", ".join(map(str, mismatch.index))
    return f"{output}[{index}]: got {mismatch.got:.9g}, want {mismatch.want:.9g}"
