"""A beam where times are measured: compiled at once, timed one after the other, each paired with the incumbent of its turn."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.simulated_gpu import Behaviour, by_block_size
from loop.shared import Shared
from loop.tiny import write_tiny
from warpwright.loop.budget import Budget
from warpwright.loop.context import LoopContext
from warpwright.loop.entering import enter_candidate
from warpwright.loop.run import run_session
from warpwright.loop.secret import session_secret
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.record.attempt import Hypothesis
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

TIMES = {32: 20.0, 64: 16.0, 96: 18.0, 128: 12.0}
IDEA = Hypothesis("block size", "a test's idea")


class BlockSizes:
    """Proposes the block sizes that were not tried, in order."""

    name = "sizes"

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        tried = {attempt.candidate.values()["BLOCK"] for attempt in state.tried}
        size = next((size for size in TIMES if size not in tried), None)
        if size is None:
            return None
        parent = state.incumbent if state.focus is None else state.focus.parent
        return Proposal(replace(state.workload.initial, point={"BLOCK": size}), IDEA, self.name, parent)

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        return None


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Shared) -> LoopContext:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    directory = write_tiny(tmp_path / "tiny")
    path = directory / "workload.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("[32, 64, 128]", "[32, 64, 96, 128]"), encoding="utf-8")
    workload = load_workload(directory)
    options = SessionOptions(
        str(directory), device="gpu:0", tuning_budget=0, strategy="beam", beam=1, bottlenecks=3, history=False
    )
    session = Session.create(tmp_path / "sessions", workload, options, {}, "a simulated GPU", GRAPH_VERSION)
    bench = shared.measured(workload, session_secret(session), Behaviour(unit_us=by_block_size(TIMES)))
    budget = Budget(None, None, patience=12, max_repairs=0)
    return LoopContext(session, bench, BlockSizes(), budget, concurrency=2)


def test_each_is_paired_with_the_incumbent_of_its_turn(context: LoopContext) -> None:
    session = context.session
    try:
        run_session(context)
    finally:
        context.close()
    found = [(a.candidate.values()["BLOCK"], a.evaluation.outcome.value) for a in session.attempts()]
    assert found == [(32, "passed"), (64, "improved"), (96, "slower"), (128, "improved")]
    winner = session.attempt(4).evaluation.paired
    assert winner is not None
    assert winner.speedup == pytest.approx(TIMES[64] / TIMES[128], rel=0.05)
    stages = [(event.attempt, event.text) for event in session.events() if event.kind == "stage"]
    first_run = next(n for n, (number, text) in enumerate(stages) if number == 2 and text.startswith("verify"))
    assert {number for number, text in stages[:first_run] if text == "examine"} >= {2, 3}


def test_a_candidate_from_outside_waits_for_those_in_hand(context: LoopContext) -> None:
    session = context.session
    try:
        run = context.bench.evaluator.evaluate
        session.begin(session.workload.initial, None, "workload", 0)
        session.finish(1, run(session.workload.initial))
        for size in (64, 96):
            candidate = replace(session.workload.initial, point={"BLOCK": size})
            session.begin(candidate, IDEA, "sizes", 1)
        mine = replace(session.workload.initial, point={"BLOCK": 128})
        entered = enter_candidate(context, mine, IDEA, "person")
    finally:
        context.close()
    assert (entered.attempt.number, entered.attempt.parent, entered.best) == (4, 2, 4)
    assert [a.evaluation.outcome.value for a in session.attempts()] == ["passed", "improved", "slower", "improved"]
