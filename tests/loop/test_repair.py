"""A proposer that fails and repairs: the loop gives it its evidence back, within the budget, and goes on."""

from dataclasses import replace
from pathlib import Path

import pytest

from loop.tiny import write_tiny
from warpwright.evaluation.bench import BenchOptions
from warpwright.evaluation.outcome import Outcome
from warpwright.loop.context import open_context
from warpwright.loop.run import run_session
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.record.attempt import Hypothesis
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

IDEA = Hypothesis("fake", "a test's idea")


class Clumsy:
    """Proposes one kernel that does not compile; repairs it wrongly, and then (if asked again) rightly."""

    name = "clumsy"

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        if len(state.attempts) > 1:
            return None
        return self._changed(state, 1, "a * x[i]", "a * x[i")

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        wrong = state.attempt(failed).evaluation.outcome is Outcome.COMPILE_ERROR
        return self._changed(state, failed, "a * x[i]", "a + x[i]" if wrong else "x[i] * a")

    def _changed(self, state: SearchState, parent: int, old: str, new: str) -> Proposal:
        candidate = state.workload.initial
        return Proposal(replace(candidate, source=candidate.source.replace(old, new)), IDEA, self.name, parent)


def run_clumsy(tmp_path: Path, max_repairs: int) -> list[tuple[str, int]]:
    workload = load_workload(write_tiny(tmp_path / "tiny"))
    options = SessionOptions(str(workload.directory), device="emulator", tuning_budget=0, max_repairs=max_repairs)
    session = Session.create(tmp_path / "sessions", workload, options, {}, "test", GRAPH_VERSION)
    context = open_context(session, BenchOptions())
    context.proposer = Clumsy()
    try:
        final = run_session(context)
        assert final["stop"] == "clumsy has nothing left to try"
        return [(a.evaluation.outcome.value, a.parent) for a in session.attempts()]
    finally:
        context.close()


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, on_shared: None) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_failures_go_back_until_one_is_mended(tmp_path: Path) -> None:
    attempts = run_clumsy(tmp_path, max_repairs=2)
    assert attempts == [("passed", 0), ("compile_error", 1), ("wrong_result", 2), ("tie", 3)]


def test_the_repair_budget_is_kept(tmp_path: Path) -> None:
    assert run_clumsy(tmp_path, max_repairs=1) == [("passed", 0), ("compile_error", 1), ("wrong_result", 2)]


def test_no_repairs_at_all(tmp_path: Path) -> None:
    assert run_clumsy(tmp_path, max_repairs=0) == [("passed", 0), ("compile_error", 1)]
