"""A whole session on a simulated GPU: paired promotion, the published figure, and the record read back."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.simulated_gpu import Behaviour, by_block_size
from loop.shared import Shared
from loop.tiny import write_tiny
from warpwright.evaluation.outcome import Outcome
from warpwright.loop.budget import Budget
from warpwright.loop.context import LoopContext
from warpwright.loop.run import run_session
from warpwright.loop.secret import session_secret
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.record.attempt import Hypothesis
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.report.html import render_report
from warpwright.report.summary import session_to_json
from warpwright.workload.loader import load_workload

IDEA = Hypothesis("block size", "another block size")
Run = Callable[..., Session]


class BlockSizes:
    """Proposes the initial kernel with other block sizes, in turn."""

    name = "block sizes"

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = sizes

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        tried = len(state.attempts) - 1
        if tried >= len(self._sizes):
            return None
        candidate = replace(state.workload.initial, point={"BLOCK": self._sizes[tried]})
        return Proposal(candidate, IDEA, self.name, 1)

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        return None


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Shared) -> Run:
    """A session that tries some block sizes. watch: told the text of each event."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def run(behaviour: Behaviour, sizes: list[int], watch: Callable[[str], None] = print) -> Session:
        workload = load_workload(write_tiny(tmp_path / "tiny"))
        options = SessionOptions(str(workload.directory), device="gpu:0", tuning_budget=0)
        session = Session.create(tmp_path / "sessions", workload, options, {}, "a simulated GPU", GRAPH_VERSION)
        session.watch(lambda event: watch(event.text))
        bench = shared.measured(session.workload, session_secret(session), behaviour)
        context = LoopContext(session, bench, BlockSizes(sizes), Budget(None, None, patience=12, max_repairs=0))
        try:
            run_session(context)
        finally:
            context.close()
        return session

    return run


def test_a_session_publishes_a_fresh_paired_figure(run: Run) -> None:
    times = by_block_size({32: 20.0, 64: 16.0, 128: 24.0})
    session = run(Behaviour(unit_us=times), [128, 64])
    assert [a.evaluation.outcome for a in session.attempts()] == [Outcome.PASSED, Outcome.SLOWER, Outcome.IMPROVED]
    summary = session.summary()
    assert summary is not None
    assert summary.best == 3
    assert summary.published is not None
    assert summary.published.speedup == pytest.approx(1.25, rel=0.01)
    won = session.attempt(3).evaluation.paired
    assert won is not None
    assert summary.published != won, "never the figure of the search"

    again = Session.open(session.directory, lock=False)
    assert [a.evaluation for a in again.attempts()] == [a.evaluation for a in session.attempts()]
    document = session_to_json(again)
    assert document["speedup"] == document["published"]["speedup"]
    assert document["source"] == "measured"
    assert 0 < document["spending"]["device_s"] < document["spending"]["wall_s"]
    assert all(attempt["spending"]["device_s"] > 0 for attempt in document["attempts"])
    case = document["best"]["cases"][-1]
    assert (case["measured"]["launches"], case["measured"]["cache"]) == (100, "cold")
    html = render_report(again)
    assert "paired run of 10 rounds, 95 % interval" in html
    assert "(estimated)" not in html


def test_a_session_without_a_win_has_nothing_to_publish(run: Run) -> None:
    session = run(Behaviour(unit_us=by_block_size({32: 20.0, 64: 24.0})), [64])
    summary = session.summary()
    assert summary is not None
    assert (summary.best, summary.published, summary.unpublished) == (1, None, "the initial kernel is the best")
    assert session_to_json(session)["published"] is None


def test_a_winner_that_fails_in_the_last_run_is_not_the_best(run: Run) -> None:
    behaviour = Behaviour(unit_us=by_block_size({32: 20.0, 64: 16.0}))

    def cheat_at_the_end(text: str) -> None:
        if text == "published figure":
            behaviour.unit_us = lambda contestant: float("nan") if contestant.plan.launches[0].block[0] == 64 else 20.0

    session = run(behaviour, [64], cheat_at_the_end)
    summary = session.summary()
    assert summary is not None
    assert [(check.number, check.passed) for check in summary.final_checks] == [(2, False), (1, True)]
    assert summary.best == 1
