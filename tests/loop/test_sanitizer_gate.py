"""The end of a session on a simulated GPU: a finalist in which compute-sanitizer finds something is not the best."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.table import Table

from evaluation.simulated_gpu import Behaviour, SimulatedGpu, by_block_size
from loop.shared import Shared
from loop.tiny import write_tiny
from profiler.sanitizer.installing import install
from warpwright.device.protocol import RunOnce, RunRequest
from warpwright.loop.budget import Budget
from warpwright.loop.context import LoopContext
from warpwright.loop.run import run_session
from warpwright.loop.secret import session_secret
from warpwright.loop.state import GRAPH_VERSION
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.record.attempt import Hypothesis
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.record.summary import Summary
from warpwright.report.html import render_report
from warpwright.report.summary import session_to_json
from warpwright.report.tables import session_tables
from warpwright.workload.loader import load_workload

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in of the tool is a shell script")
Run = Callable[[Path], Session]


class WatchedGpu(SimulatedGpu):
    """Hands out a program that does nothing; its last argument is the block size, by which the tool knows a candidate."""

    def run_once(self, request: RunRequest, folder: Path) -> RunOnce:
        block = str(request.plan.launches[0].block[0])
        return RunOnce((sys.executable, "-I", "-c", "pass", block), {}, tuple(request.program.lowered.values()))


class SixtyFour:
    """Proposes the initial kernel with blocks of 64 threads, once."""

    name = "sixty-four"

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        if len(state.attempts) > 1:
            return None
        candidate = replace(state.workload.initial, point={"BLOCK": 64})
        return Proposal(candidate, Hypothesis("block size", "another block size"), self.name, 1)

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        return None


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Shared) -> Run:
    """A session whose second attempt wins, with that program as compute-sanitizer."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def make(tool: Path) -> Session:
        workload = load_workload(write_tiny(tmp_path / "tiny"))
        options = SessionOptions(str(workload.directory), device="gpu:0", tuning_budget=0)
        session = Session.create(tmp_path / "sessions", workload, options, {}, "a simulated GPU", GRAPH_VERSION)
        gpu = WatchedGpu(shared.emulator, Behaviour(unit_us=by_block_size({32: 20.0, 64: 16.0})))
        bench = shared.bench(session.workload, session_secret(session), gpu, SanitizerOptions(tool))
        context = LoopContext(session, bench, SixtyFour(), Budget(None, None, patience=12, max_repairs=0))
        try:
            run_session(context)
        finally:
            context.close()
        return Session.open(session.directory, lock=False)

    return make


def summary_of(session: Session) -> Summary:
    summary = session.summary()
    assert summary is not None
    return summary


def printed(session: Session) -> str:
    first = session_tables(session)[0]
    assert isinstance(first, Table)
    return str(first.title)


def test_a_race_in_the_finalist_keeps_the_one_before(run: Run, tmp_path: Path) -> None:
    session = run(install(tmp_path / "tool", only_with="64", racecheck="race"))
    summary = summary_of(session)
    assert summary.best == 1
    assert [(check.number, check.passed) for check in summary.final_checks] == [(2, False), (1, True)]
    assert summary.final_checks[0].message.startswith("unstable.race: line 3: a race on shared memory")
    assert summary.sanitizer is not None
    assert summary.sanitizer.summary == "clean (4 tools)"
    assert "sanitize" in {entry.kind for entry in session.ledger()}


def test_a_clean_finalist_is_shown_as_such(run: Run, tmp_path: Path) -> None:
    session = run(install(tmp_path / "tool"))
    assert summary_of(session).best == 2
    assert "compute-sanitizer: clean (4 tools)" in printed(session)
    assert "compute-sanitizer 2026.4.0.0, case ragged: clean (4 tools)</p>" in render_report(session)
    document = session_to_json(session)["sanitizer"]
    assert document["tools"] == dict.fromkeys(("memcheck", "racecheck", "initcheck", "synccheck"), "clean")


def test_a_missing_tool_is_recorded_and_fails_nobody(run: Run, tmp_path: Path) -> None:
    session = run(tmp_path / "nowhere")
    assert summary_of(session).best == 2
    told = f"compute-sanitizer: not run: {tmp_path / 'nowhere'} is no program"
    assert told in printed(session)
    assert told in render_report(session)
    assert session_to_json(session)["sanitizer"]["tools"] == {}
