"""The closed set of outcomes of an attempt, and the result of evaluating one candidate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from warpwright.benchmark.figure import PairedFigure
from warpwright.compiler.result import CompileOutcome
from warpwright.device.protocol import Timing
from warpwright.workload.model import CaseKind
from warpwright.workload.values import Comparison


class Outcome(StrEnum):
    """How an attempt ended; a reason is a dotted suffix kept beside it (`crash` + `misaligned`)."""

    INVALID_PLAN = "invalid_plan"
    COMPILE_ERROR = "compile_error"
    LAUNCH_ERROR = "launch_error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    WRONG_RESULT = "wrong_result"
    UNSTABLE = "unstable"
    REJECTED = "rejected"
    SUSPICIOUS = "suspicious"
    SLOWER = "slower"
    TIE = "tie"
    IMPROVED = "improved"
    PASSED = "passed"

    @property
    def correct(self) -> bool:
        """True if the candidate passed every check (and so has a time)."""
        return self in (Outcome.SLOWER, Outcome.TIE, Outcome.IMPROVED, Outcome.PASSED)


DUPLICATE = "duplicate"
"""Reason beside the outcome of a candidate with the machine code and launches of an earlier one: it was not measured again."""


@dataclass(frozen=True, slots=True)
class CaseEvaluation:
    """One case of one candidate; None is unknown or not reached.

    passed: None if the case was not run because an earlier one failed.
    floor_us: least time physics allows on this device; floor_binding: what sets it. deterministic: whether runs of the same
    values with different launch history gave the same bytes (V26).
    """

    name: str
    kind: CaseKind
    passed: bool | None
    comparisons: tuple[Comparison, ...] = ()
    timing: Timing | None = None
    floor_us: float | None = None
    floor_binding: str | None = None
    message: str = ""
    deterministic: bool | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `evaluate` found out about a candidate.

    reason: dotted suffix of the outcome, or None. message: the evidence in one paragraph, fit for a person and a prompt.
    geomean_us: over perf cases; None unless every case passed. speedup: time of `against` over time of this one.
    """

    outcome: Outcome
    reason: str | None
    message: str
    cases: tuple[CaseEvaluation, ...]
    compiled: CompileOutcome | None
    geomean_us: float | None = None
    speedup: float | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Wall time by stage: compile, verify, time."""
    line: int | None = None
    """CUDA source line of a fault, where known."""
    paired: PairedFigure | None = None
    """The paired run against the incumbent; None on the emulator, without an incumbent, or if none was earned."""

    @property
    def label(self) -> str:
        """Outcome with its reason: `crash.misaligned`."""
        return self.outcome.value if self.reason is None else f"{self.outcome.value}.{self.reason}"

    @property
    def promotable(self) -> bool:
        """True if this may become the incumbent: everything passed in full and there was nothing to beat, or it was beaten."""
        return self.outcome in (Outcome.PASSED, Outcome.IMPROVED) and self.reason is None
