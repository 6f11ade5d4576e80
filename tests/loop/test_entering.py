"""A candidate enters an ended session on a simulated GPU: its win is a paired one, and it is published afresh."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.simulated_gpu import Behaviour, by_block_size
from loop.shared import Shared
from loop.tiny import write_tiny
from warpwright.candidate.candidate import Candidate
from warpwright.loop.budget import Budget
from warpwright.loop.context import LoopContext
from warpwright.loop.entering import enter_candidate
from warpwright.loop.run import run_session
from warpwright.loop.secret import entry_secret
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.strategist import Strategist
from warpwright.record.attempt import Hypothesis
from warpwright.record.history.store import History
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

TIMES = {32: 20.0, 64: 16.0, 128: 24.0}
WHY = Hypothesis("by hand", "another block size")


def context_of(session: Session, behaviour: Behaviour, shared: Shared) -> LoopContext:
    bench = shared.measured(session.workload, entry_secret(session), behaviour)
    budget = Budget(attempts=1, time_limit_s=None, patience=12, max_repairs=0)
    return LoopContext(session, bench, Strategist(), budget)


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour(unit_us=by_block_size(TIMES))


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour, shared: Shared) -> Path:
    """A session that ended with its initial kernel, of block size 32."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    workload = load_workload(write_tiny(tmp_path / "tiny"))
    options = SessionOptions(str(workload.directory), device="gpu:0", tuning_budget=0)
    session = Session.create(tmp_path / "sessions", workload, options, {}, "a simulated GPU", GRAPH_VERSION)
    context = context_of(session, behaviour, shared)
    run_session(context)
    context.close()
    return session.directory


@pytest.fixture
def context(ended: Path, tmp_path: Path, behaviour: Behaviour, shared: Shared) -> Iterator[LoopContext]:
    context = context_of(Session.open(ended), behaviour, shared)
    context.recall(tmp_path / "history.sqlite")
    yield context
    context.close()


def with_block(context: LoopContext, size: int) -> Candidate:
    return replace(context.session.workload.initial, point={"BLOCK": size})


def test_a_win_is_paired_and_published_afresh_and_kept_as_measured(context: LoopContext, tmp_path: Path) -> None:
    entered = enter_candidate(context, with_block(context, 64), WHY, "person")
    assert (entered.passed, entered.best, entered.attempt.number) == (True, 2, 2)
    summary = context.session.summary()
    assert summary is not None
    assert summary.best == 2
    assert [(check.number, check.passed) for check in summary.final_checks] == [(1, True), (2, True)]
    assert summary.published is not None
    assert summary.published.speedup == pytest.approx(1.25, rel=0.01)
    assert summary.published != entered.attempt.evaluation.paired
    assert summary.stop == "budget: 1 of 1 attempts used"  # why the search ended stays as it was
    (learnt,) = History(tmp_path / "history.sqlite").everything()
    assert learnt.lesson.measured


def test_one_that_loses_changes_nothing(context: LoopContext) -> None:
    before = context.session.summary()
    entered = enter_candidate(context, with_block(context, 128), WHY, "person")
    assert (entered.passed, entered.best, entered.final_check) == (True, 1, None)
    assert context.session.summary() == before


def test_one_that_fails_under_the_last_clock_is_refused(context: LoopContext, behaviour: Behaviour) -> None:
    def cheat_at_the_end(text: str) -> None:
        if text == "published figure":
            behaviour.unit_us = lambda contestant: float("nan") if contestant.plan.launches[0].block[0] == 64 else 20.0

    context.session.watch(lambda event: cheat_at_the_end(event.text))
    entered = enter_candidate(context, with_block(context, 64), WHY, "person")
    assert not entered.passed
    assert (entered.best, context.session.incumbent()) == (1, 1)
    again = enter_candidate(context, with_block(context, 64), WHY, "person")
    assert (again.known, again.passed, again.best) == (True, False, 1)
