"""A workload with a slow initial kernel, and a proposer that has something of every kind in one step of the beam."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from loop.tiny import write_tiny
from warpwright.evaluation.bench import Bench
from warpwright.loop.budget import Budget
from warpwright.loop.context import LoopContext
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Focus, Proposal, SearchState
from warpwright.record.attempt import Hypothesis
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

KERNEL = """
extern "C" __global__ void scale(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float rest = 0.0f;
    for (int j = 0; j < ROUNDS; ++j) rest += 0.0f * x[(i * 37 + j * 61) % n];
    if (i < n) y[i] = a * x[i] + rest;
}
"""


def kernel(rounds: int) -> str:
    """The fewer rounds, the faster."""
    return KERNEL.replace("ROUNDS", str(rounds))


IDEAS: Mapping[str, str] = {
    "does not compile": kernel(128).replace("float rest = 0.0f;", "float rest = 0.0f"),
    "half": kernel(128),
    "layout only": kernel(256).replace("    if (i < n)", "    // as before\n    if (i < n)"),
    "wrong": kernel(128).replace("a * x[i]", "a + x[i]"),
    "same code": kernel(256).replace("a * x[i] + rest", "x[i] * a + rest"),
    "few": kernel(8),
    "again half": re.sub(r"\bj\b", "step", kernel(128)),
    "some": kernel(32).replace("j < 32", "j < 16 + 16"),
}
"""Technique -> source, in the order in which they are proposed. `again half` renames a variable of `half`."""


@dataclass
class Wide:
    """Proposes every idea once, for whatever is asked; mends what does not compile. asked: the foci of its calls.

    `layout only` never becomes an attempt, so it is proposed in the first step alone.
    """

    name: str = "wide"
    asked: list[Focus | None] = field(default_factory=list)

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        self.asked.append(state.focus)
        made = {a.hypothesis.technique for a in state.tried if a.hypothesis is not None}
        for technique, source in IDEAS.items():
            if technique not in made and (technique != "layout only" or len(state.attempts) == 1):
                return self._proposal(state, technique, source, state.focus)
        return None

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        if state.attempt(failed).evaluation.outcome.value != "compile_error":
            return None
        return self._proposal(state, "mended", kernel(100), Focus(failed))

    def _proposal(self, state: SearchState, technique: str, source: str, focus: Focus | None) -> Proposal:
        candidate = replace(state.workload.initial, source=source)
        parent = state.incumbent if focus is None else focus.parent
        return Proposal(candidate, Hypothesis(technique, f"a test's idea: {technique}"), self.name, parent)


def write_wide(directory: Path) -> Workload:
    """The workload."""
    return load_workload(write_tiny(directory, kernel(256)))


def begin_session(workload: Workload, root: Path, iterations: int | None = None) -> Session:
    """A session that searches by a beam of two parents and two findings of each."""
    options = SessionOptions(
        str(workload.directory),
        device="emulator",
        tuning_budget=0,
        strategy="beam",
        max_repairs=1,
        iterations=iterations,
        history=False,
    )
    return Session.create(root, workload, options, {}, "emulator", GRAPH_VERSION)


def context_on(session: Session, bench: Bench, concurrency: int = 2) -> LoopContext:
    """A loop over a bench that outlives it."""
    budget = Budget(session.options.iterations, None, patience=12, max_repairs=session.options.max_repairs)
    return LoopContext(session, bench, Wide(), budget, concurrency=concurrency)


def essence(session: Session) -> list[tuple[int, int, str, str, float | None]]:
    """What must depend neither on threads nor on kills."""
    return [
        (
            a.number,
            a.parent,
            "" if a.hypothesis is None else a.hypothesis.technique,
            a.evaluation.label,
            a.evaluation.geomean_us,
        )
        for a in session.attempts()
    ]
