"""Sessions with several candidates in hand, on the emulator: what each is judged against, repeats, repairs, stops and kills."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from loop.beam.wide import IDEAS, Wide, begin_session, context_on, essence, write_wide
from warpwright.candidate.candidate import Candidate
from warpwright.cli.environment import environment
from warpwright.errors import InfrastructureError
from warpwright.evaluation.bench import Bench, BenchOptions, open_bench
from warpwright.evaluation.course import Examined, StageListener
from warpwright.loop.beam.step import begin_step
from warpwright.loop.nodes.evaluate import evaluate
from warpwright.loop.run import run_session
from warpwright.loop.state import LoopState
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.record.attempt import Hypothesis
from warpwright.record.event import Event
from warpwright.record.session import Session
from warpwright.workload.model import Workload

EXPECTED = [
    (1, 0, "", "passed"),
    (2, 1, "does not compile", "compile_error.syntax"),
    (3, 1, "half", "improved"),
    (4, 2, "mended", "tie"),
    (5, 3, "wrong", "wrong_result.mismatch"),
    (6, 3, "same code", "slower.duplicate"),
    (7, 4, "few", "improved"),
    (8, 3, "again half", "slower.duplicate"),
    (9, 7, "some", "slower"),
]
"""Number, parent, idea, outcome. `mended` was begun after `half` and judged after it; `some` beats `half`, but not `few`."""


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return write_wide(tmp_path_factory.mktemp("wide") / "tiny")


@pytest.fixture(scope="module")
def bench(workload: Workload) -> Iterator[Bench]:
    options = BenchOptions(cache_directory=environment().cache, workers=2)
    with open_bench(workload, "emulator", "a test's secret", options) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def calm(workload: Workload, bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """An undisturbed session."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        with begin_session(workload, tmp_path_factory.mktemp("calm")) as session:
            run_session(context_on(session, bench))
    return session


def test_every_candidate_is_judged_in_its_turn(calm: Session) -> None:
    assert [row[:4] for row in essence(calm)] == EXPECTED
    assert calm.incumbents() == (1, 3, 7)
    assert calm.best() == 7
    assert calm.pending() == ()


def test_a_repeat_in_another_layout_is_no_attempt(calm: Session) -> None:
    (note,) = [event.text for event in calm.events() if event.kind == "note" and "layout only" in event.text]
    assert "not begun: attempt 1 was this kernel with this launch plan and these values already" in note


def test_the_same_machine_code_is_answered_from_the_record(calm: Session) -> None:
    first, repeat = calm.attempt(1).evaluation, calm.attempt(6).evaluation
    assert repeat.message.startswith("the same machine code and launches as attempt 1, so not measured again: passed")
    assert (repeat.geomean_us, repeat.cases) == (first.geomean_us, first.cases)
    assert not repeat.promotable


def test_the_same_code_under_another_entry_name_is_answered_from_the_record(
    workload: Workload, bench: Bench, tmp_path: Path
) -> None:
    launch = workload.initial.plan.launches[0]
    renamed = replace(
        workload.initial,
        source=workload.initial.source.replace("void scale(", "void rows_by_warps("),
        plan=replace(workload.initial.plan, launches=(replace(launch, entry="rows_by_warps"),)),
    )
    with begin_session(workload, tmp_path) as session:
        runtime = Runtime(context=context_on(session, bench))
        for number, candidate in ((1, workload.initial), (2, renamed)):
            session.begin(candidate, None, "a test", number - 1)
            evaluate(LoopState(session=str(session.directory), attempt=number), runtime)
        assert session.attempt(2).evaluation.label == "tie.duplicate"


def test_a_note_on_a_repeat_is_given_once(workload: Workload, bench: Bench, tmp_path: Path) -> None:
    with begin_session(workload, tmp_path) as session:
        context = context_on(session, bench)
        session.begin(workload.initial, None, "a test", 0)
        evaluate(LoopState(session=str(session.directory), attempt=1), Runtime(context=context))
        context.proposer = Repeating()
        for _ in range(2):
            assert begin_step(context).numbers == ()
        (note,) = [event.text for event in session.events() if event.kind == "note"]
    assert "not begun: attempt 1 was this kernel" in note


class Repeating(Wide):
    """Has nothing but the initial kernel to propose, whatever is asked."""

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        return Proposal(state.workload.initial, Hypothesis("again", "it may help"), self.name, 1)


def test_candidates_of_a_step_are_in_hand_before_the_first_is_evaluated(calm: Session) -> None:
    told = [(event.kind, event.attempt) for event in calm.events() if event.kind in ("proposed", "finished")]
    assert told[:6] == [
        ("finished", 1),
        ("proposed", 2),
        ("proposed", 3),
        ("finished", 2),
        ("proposed", 4),
        ("finished", 3),
    ]


def test_one_worker_or_two_give_the_same_session(
    calm: Session, workload: Workload, bench: Bench, tmp_path: Path
) -> None:
    with begin_session(workload, tmp_path) as session:
        run_session(context_on(session, bench, concurrency=1))
    assert essence(session) == essence(calm)


def test_the_cap_on_attempts_holds_within_a_step(workload: Workload, bench: Bench, tmp_path: Path) -> None:
    with begin_session(workload, tmp_path, iterations=5) as session:
        final = run_session(context_on(session, bench))
    assert final["stop"] == "budget: 5 of 5 attempts used"
    assert [row[:4] for row in essence(session)] == EXPECTED[:5]


def test_a_branch_that_fails_loses_no_other(
    calm: Session, workload: Workload, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examine = bench.evaluator.examine

    def failing(candidate: Candidate, on_stage: StageListener | None = None) -> Examined:
        if candidate.source == IDEAS["half"]:
            raise InfrastructureError("no memory for two at once")
        return examine(candidate, on_stage)

    monkeypatch.setattr(bench.evaluator, "examine", failing)
    with begin_session(workload, tmp_path) as session:
        run_session(context_on(session, bench))
    assert essence(session) == essence(calm)
    texts = [event.text for event in session.events() if event.attempt == 3]
    assert "not examined beside others, but in its turn: no memory for two at once" in texts


def test_time_that_is_up_leaves_the_rest_of_a_step_unfinished(workload: Workload, bench: Bench, tmp_path: Path) -> None:
    with begin_session(workload, tmp_path) as session:
        context = context_on(session, bench)
        context.budget = replace(context.budget, time_limit_s=1000.0)

        def watch(event: Event) -> None:
            if event.kind == "finished" and event.attempt == 5:
                context.budget.spent_s = 2000.0

        session.watch(watch)
        final = run_session(context)
    assert final["stop"].endswith("reached; not evaluated any more: attempts 6, 7, 8")
    assert [attempt.number for attempt in session.pending()] == [6, 7, 8]
    assert session.best() == 3


def test_the_checkpoint_holds_numbers_only(calm: Session) -> None:
    assert (calm.directory / "checkpoints.sqlite").stat().st_size < 300_000
    assert json.loads((calm.directory / "session.json").read_text(encoding="utf-8"))["options"]["strategy"] == "beam"


@pytest.mark.parametrize("first", range(4))
def test_killed_before_any_file_it_ends_as_an_undisturbed_one(
    calm: Session, workload: Workload, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    """Stop before the n-th file of the record that is moved into place, resume with everything made anew, and so on."""
    rename, kills = Path.replace, 0
    session = begin_session(workload, tmp_path)
    record = session.directory
    left = 3 + first
    while True:

        def replace_or_die(self: Path, target: Path) -> Path:
            nonlocal left
            if record in self.parents:
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
            return rename(self, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", replace_or_die)
            try:
                run_session(context_on(session, bench))
                break
            except KeyboardInterrupt:
                kills += 1
                left = 11 + (5 * kills + first) % 9
            finally:
                session.close()
        session = Session.open(record)
    assert kills >= 3
    assert essence(session) == essence(calm)
    assert session.best() == calm.best()
    assert len({attempt.candidate.identity for attempt in session.attempts()}) == len(EXPECTED)
