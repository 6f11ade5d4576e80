"""An evaluator that remembers: emulated counters and estimates are functions of the candidate, so no candidate is run twice.

What is remembered is the evaluation without an incumbent; the decision against one is made afresh, by the same function that
the product uses. Only for devices that estimate: measured times are never remembered.
"""

import pickle
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from warpwright.benchmark.decision import decide
from warpwright.candidate.candidate import Candidate
from warpwright.device.protocol import Timing
from warpwright.evaluation.bench import Bench
from warpwright.evaluation.evaluator import Evaluator
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.evaluation.promotion.baseline import Evaluated
from warpwright.workload.lint import LintFinding
from warpwright.workload.model import CaseKind


class RememberingEvaluator:
    """Stands in for an `Evaluator` on the emulator. folder: one file for each candidate that was ever evaluated."""

    def __init__(self, evaluator: Evaluator, folder: Path) -> None:
        if evaluator.measures:
            raise ValueError("measured times must not be remembered")
        self._evaluator = evaluator
        self._folder = folder
        self.evaluated = 0
        """Evaluations that were really made."""
        folder.mkdir(parents=True, exist_ok=True)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._evaluator, name)

    def evaluate(
        self,
        candidate: Candidate,
        *,
        against: Evaluated | None = None,
        screen: bool = False,
        on_stage: Any = None,
    ) -> Evaluation:
        """As `Evaluator.evaluate`."""
        del on_stage
        path = self._folder / f"{candidate.identity}{'-screen' if screen else ''}"
        if path.exists():
            found: Evaluation = pickle.loads(zlib.decompress(path.read_bytes()))
        else:
            self.evaluated += 1
            found = self._evaluator.evaluate(candidate, screen=screen)
            partial = path.with_suffix(".part")
            partial.write_bytes(zlib.compress(pickle.dumps(found), 1))
            partial.replace(path)
        return found if screen else _decided(found, against)


class StudyBench:
    """A bench without the final check on hidden cases: the study is about the search."""

    def __init__(self, bench: Bench, evaluator: RememberingEvaluator) -> None:
        self._bench = bench
        self.evaluator = evaluator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench, name)

    def lint(self) -> list[LintFinding]:
        """Nothing: the examples have been checked."""
        return []

    def verify_hidden(self, candidate: Candidate) -> Evaluation:
        """Taken as passed."""
        del candidate
        return Evaluation(Outcome.PASSED, "verified", "not part of this study", (), None)


def _decided(found: Evaluation, against: Evaluated | None) -> Evaluation:
    if against is None or not against.evaluation.outcome.correct or found.outcome is not Outcome.PASSED:
        return found
    own, other = _ranked(found), _ranked(against.evaluation)
    if not own or not other:
        return found
    decision = decide(other, own)
    message = f"{decision.message}; {found.message}"
    return replace(found, outcome=Outcome(decision.rank.value), message=message, speedup=decision.speedup)


def _ranked(evaluation: Evaluation) -> dict[str, Timing]:
    return {c.name: c.timing for c in evaluation.cases if c.kind is CaseKind.PERF and c.timing is not None}
