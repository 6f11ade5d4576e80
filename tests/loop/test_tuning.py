"""A tuning search within a session: its share of the time, what ends it for good, what only interrupts it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from loop.tiny import WORKLOAD, write_tiny
from warpwright.evaluation.bench import BenchOptions
from warpwright.evaluation.outcome import Outcome
from warpwright.loop.budget import Budget
from warpwright.loop.context import LoopContext, open_context
from warpwright.loop.state import GRAPH_VERSION
from warpwright.loop.tuning import attempt_to_tune, search_points
from warpwright.record.event import Event
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

POINTS = 8


@dataclass
class Started:
    """A session whose initial kernel is evaluated. Every point takes `seconds_a_point` more on the budget's clock."""

    context: LoopContext
    seconds_a_point: float = 10.0
    stop_after: int | None = None

    def limit(self, time_limit_s: float | None) -> None:
        self.context.budget = Budget(None, time_limit_s, patience=12, max_repairs=0)

    def watch(self, event: Event) -> None:
        if event.kind != "tuning":
            return
        self.context.budget.spent_s += self.seconds_a_point
        if self.stop_after == event.values["points"]:
            self.context.stopping.set()

    @property
    def points(self) -> int:
        return len(self.context.session.tuning(1))


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_shared: None) -> Iterator[Started]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield from _started(tmp_path, "builtin")


@pytest.fixture
def only_tuner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_shared: None) -> Iterator[Started]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield from _started(tmp_path, "tuner")


def _started(tmp_path: Path, proposer: str) -> Iterator[Started]:
    directory = write_tiny(tmp_path / "tiny")
    text = WORKLOAD.replace("[32, 64, 128]", "[32, 64, 96, 128, 160, 192, 224, 256]")
    (directory / "workload.toml").write_text(text, encoding="utf-8")
    workload = load_workload(directory)
    options = SessionOptions(str(directory), device="emulator", proposer=proposer)
    session = Session.create(tmp_path / "sessions", workload, options, {}, "emulator", GRAPH_VERSION)
    context = open_context(session, BenchOptions())
    try:
        number = session.begin(workload.initial, None, "workload", 0)
        session.finish(number, context.bench.evaluator.evaluate(workload.initial))
        started = Started(context)
        session.watch(started.watch)
        yield started
    finally:
        context.close()


def test_without_a_limit_the_search_goes_to_its_end(begin: Started) -> None:
    search_points(begin.context, 1)
    assert begin.points == POINTS
    assert begin.context.session.tuning_finished(1)
    assert attempt_to_tune(begin.context.session) is None
    assert all(set(point.case_us) == {"small"} for point in begin.context.session.tuning(1))


def test_a_search_takes_a_quarter_of_the_time_that_is_left_and_is_not_begun_again(begin: Started) -> None:
    begin.limit(100.0)
    search_points(begin.context, 1)
    assert begin.points == 3
    assert begin.context.session.tuning_finished(1)
    assert attempt_to_tune(begin.context.session) is None
    last = begin.context.session.events()[-1]
    assert (last.kind, last.text) == ("tuned", "3 points searched, as many as its share of the time allows")


def test_the_tuner_alone_takes_three_quarters(only_tuner: Started) -> None:
    only_tuner.limit(80.0)
    search_points(only_tuner.context, 1)
    assert only_tuner.points == 6


def test_a_search_that_the_user_stops_goes_on_where_it_was(begin: Started) -> None:
    begin.stop_after = 2
    search_points(begin.context, 1)
    assert begin.points == 2
    assert attempt_to_tune(begin.context.session) == 1
    begin.context.stopping.clear()
    search_points(begin.context, 1)
    keys = [tuple(point.point.items()) for point in begin.context.session.tuning(1)]
    assert len(keys) == len(set(keys)) == POINTS


def test_a_search_that_the_end_of_the_time_stops_goes_on_when_there_is_more(begin: Started) -> None:
    begin.limit(100.0)
    begin.seconds_a_point = 1000.0
    search_points(begin.context, 1)
    assert begin.points == 1
    assert not begin.context.session.tuning_finished(1)
    begin.limit(None)
    assert attempt_to_tune(begin.context.session) == 1


@pytest.mark.parametrize(
    ("times_slower", "outcome", "searched"),
    [(1.0, Outcome.TIE, 2), (1.45, Outcome.SLOWER, 2), (1.55, Outcome.SLOWER, None), (1.0, Outcome.WRONG_RESULT, None)],
)
def test_a_structure_that_came_close_is_searched_after_the_incumbent(
    begin: Started, times_slower: float, outcome: Outcome, searched: int | None
) -> None:
    session = begin.context.session
    _enter(begin, {"EXTRA": (1, 2)}, times_slower, outcome)
    assert attempt_to_tune(session) == 1
    session.finish_tuning(1)
    assert attempt_to_tune(session) == searched
    session.finish_tuning(2)
    assert attempt_to_tune(session) is None


def test_what_came_close_without_tunables_of_its_own_is_not_searched(begin: Started) -> None:
    _enter(begin, {}, 1.0, Outcome.TIE)
    begin.context.session.finish_tuning(1)
    assert attempt_to_tune(begin.context.session) is None


def _enter(begin: Started, tunables: dict[str, tuple[int, ...]], times_slower: float, outcome: Outcome) -> None:
    """Attempt 2: another structure that was made from attempt 1."""
    session = begin.context.session
    first = session.attempt(1)
    source = first.candidate.source + "// another structure\n#define ANOTHER 1\n"
    candidate = replace(first.candidate, source=source, tunables={**first.candidate.tunables, **tunables})
    number = session.begin(candidate, None, "builtin", 1)
    assert first.evaluation.geomean_us is not None
    geomean_us = first.evaluation.geomean_us * times_slower
    session.finish(number, replace(first.evaluation, outcome=outcome, geomean_us=geomean_us))
