"""The checks of one case, in the order in which they explain a failure: the first that speaks names the outcome."""

from typing import Protocol

from warpwright.verifier.checks.inputs import InputsUnchanged
from warpwright.verifier.checks.oracle import MatchesOracle
from warpwright.verifier.checks.stability import Stability
from warpwright.verifier.checks.unwritten import Unwritten
from warpwright.verifier.evidence import Evidence
from warpwright.verifier.verdict import Finding


class Check(Protocol):
    """Reads the evidence of one (case, seed); never runs anything."""

    @property
    def name(self) -> str:
        """One word for records and messages."""
        ...

    def examine(self, evidence: Evidence) -> tuple[Finding, ...]:
        """What is wrong (label set) or worth noting (label None); empty if there is nothing to say."""
        ...


CHECKS: tuple[Check, ...] = (Unwritten(), InputsUnchanged(), Stability(), MatchesOracle())
