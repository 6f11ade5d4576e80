"""Counters, diagnosis and guidance of every attempt: written in the loop, used by the next one, taken up after a kill."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.simulated_gpu import Behaviour, by_block_size
from loop.shared import Shared
from loop.tiny import write_tiny
from warpwright.device.protocol import TimeSource
from warpwright.errors import InfrastructureError
from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.budget import Budget
from warpwright.loop.context import LoopContext, open_context
from warpwright.loop.diagnosis import diagnose_attempt, worth_profiling
from warpwright.loop.ending.stopping import reason_to_stop
from warpwright.loop.run import run_session
from warpwright.loop.secret import session_secret
from warpwright.loop.state import GRAPH_VERSION
from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, CaseDiagnosis, Verdict
from warpwright.profiler.profile import Cache, CaseProfile, Counter, LaunchCounters, Source
from warpwright.proposer.conversation import Notebook
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.record.attempt import Attempt, Hypothesis
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

MORE_BLOCKS = Hypothesis("smaller blocks", "twice the blocks", {"grid_blocks": 2.0})
FEWER_BLOCKS = Hypothesis("larger blocks", "half the blocks, it is hoped", {"grid_blocks": 0.5})
NO_COUNTERS = Hypothesis("another block", "just so")
Measured = Callable[..., Session]


@dataclass
class Scripted:
    """Proposes the initial kernel at other block sizes, each with a hypothesis; keeps what it was shown."""

    script: list[tuple[int, Hypothesis]]
    name: str = "scripted"
    seen: list[SearchState] = field(default_factory=list)

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        self.seen.append(state)
        done = len(state.attempts) - 1
        if done >= len(self.script):
            return None
        size, hypothesis = self.script[done]
        candidate = replace(state.workload.initial, point={"BLOCK": size})
        return Proposal(candidate, self.cited(state, hypothesis), self.name, 1)

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        return None

    def cited(self, state: SearchState, hypothesis: Hypothesis) -> Hypothesis:
        return hypothesis


class Citing(Scripted):
    """Cites a source that it was shown and one that it made up."""

    def cited(self, state: SearchState, hypothesis: Hypothesis) -> Hypothesis:
        return replace(hypothesis, citations=(state.guidance[1].citations[0].id, "bpg#what-nobody-wrote"))


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, on_shared: None) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def new_session(tmp_path: Path, device: str, more_cases: str = "") -> Session:
    directory = write_tiny(tmp_path / "tiny")
    with (directory / "workload.toml").open("a", encoding="utf-8") as file:
        file.write(more_cases)
    workload = load_workload(directory)
    options = SessionOptions(str(workload.directory), device=device, tuning_budget=0)
    return Session.create(tmp_path / "sessions", workload, options, {}, "test", GRAPH_VERSION)


def emulated(tmp_path: Path, proposer: Scripted) -> Session:
    session = new_session(tmp_path, "emulator")
    context = open_context(session, BenchOptions())
    context.proposer = proposer
    try:
        run_session(context)
    finally:
        context.close()
    return Session.open(session.directory, lock=False)


def diagnosed(session: Session, number: int) -> AttemptDiagnosis:
    diagnosis = session.diagnosis(number)
    assert diagnosis is not None
    return diagnosis


def test_every_correct_attempt_has_counters_and_a_diagnosis(tmp_path: Path) -> None:
    proposer = Scripted([(64, FEWER_BLOCKS), (128, NO_COUNTERS)])
    session = emulated(tmp_path, proposer)
    for attempt in session.attempts():
        (profile,) = session.profiles(attempt.number) or ()
        assert (profile.case, profile.subject) == ("small", attempt.candidate.identity)
        assert diagnosed(session, attempt.number).target_case == "small"
    first = diagnosed(session, 1)
    advice = session.guidance(1)
    assert first.bottleneck == "launch_bound"
    assert advice is not None
    assert advice.bottleneck == "launch_bound"
    told = [event for event in session.events() if event.kind == "diagnosed"]
    assert [event.attempt for event in told] == [1, 2, 3]
    assert told[0].text.startswith("small: launch_bound: The launch takes est. ")
    assert told[0].values["limited"] is True
    assert sum(entry.kind == "profile" for entry in session.ledger()) == 3
    last = proposer.seen[-1]
    assert (set(last.diagnoses), set(last.profiles), last.guidance[1]) == ({1, 2, 3}, {1, 2, 3}, advice)


def test_counters_bear_a_hypothesis_out_or_refute_it(tmp_path: Path) -> None:
    wrong = replace(MORE_BLOCKS, technique="the wrong way")
    session = emulated(tmp_path, Scripted([(64, FEWER_BLOCKS), (128, wrong), (32, NO_COUNTERS)]))
    found = [diagnosed(session, number) for number in (1, 2, 3)]
    assert [d.verdict for d in found] == [Verdict.UNKNOWN, Verdict.BORNE_OUT, Verdict.REFUTED]
    (check,) = found[1].checks
    assert (check.counter, check.expected, check.seen) == ("grid_blocks", 0.5, 0.5)
    assert (found[1].parent, found[1].incumbent) == (1, 1)
    change = next(change for change in found[1].against_parent if change.counter == "grid_blocks")
    assert (change.before, change.after) == (64, 32)


def test_a_citation_that_nothing_returned_is_dropped_and_counted(tmp_path: Path) -> None:
    session = emulated(tmp_path, Citing([(64, FEWER_BLOCKS)]))
    attempt = session.attempt(2)
    advice = session.guidance(1)
    assert attempt.hypothesis is not None
    assert advice is not None
    assert attempt.hypothesis.citations == (advice.citations[0].id,)
    assert attempt.fabricated_citations == 1


def test_what_look_ups_of_the_proposer_returned_may_be_cited(tmp_path: Path) -> None:
    class LookedUp(Citing):
        def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
            proposal = super().propose(state, notebook)
            return None if proposal is None else replace(proposal, known_citations=("bpg#what-nobody-wrote",))

    attempt = emulated(tmp_path, LookedUp([(64, FEWER_BLOCKS)])).attempt(2)
    assert attempt.hypothesis is not None
    assert "bpg#what-nobody-wrote" in attempt.hypothesis.citations
    assert attempt.fabricated_citations == 0


def test_what_a_kill_left_undone_is_done_from_the_counters_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = emulated(tmp_path, Scripted([(64, FEWER_BLOCKS)])).directory
    before = Session.open(directory, lock=False).diagnosis(2)
    (directory / "attempts" / "0002" / "diagnosis.json").unlink()

    def never(*arguments: object) -> None:
        raise AssertionError("profiled again")

    monkeypatch.setattr("warpwright.loop.diagnosis.profile_cases", never)
    context = open_context(Session.open(directory), BenchOptions())
    try:
        assert diagnose_attempt(context, context.session.attempt(2)) == before
    finally:
        context.close()
    assert Session.open(directory, lock=False).diagnosis(2) == before


def test_counters_that_were_recorded_as_none_are_not_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill came between `counters.json`, which says that profiling failed, and the diagnosis."""
    directory = emulated(tmp_path, Scripted([(64, FEWER_BLOCKS)])).directory
    attempt = directory / "attempts" / "0002"
    (attempt / "diagnosis.json").unlink()
    (attempt / "counters.json").unlink()
    with closing(Session.open(directory)) as session:
        session.write_profiles(2, ())
    context = open_context(Session.open(directory), BenchOptions())
    try:
        assert diagnose_attempt(context, context.session.attempt(2)).target is None
    finally:
        context.close()


@pytest.fixture
def finished(tmp_path: Path) -> Iterator[LoopContext]:
    """A session of one finished attempt that nothing was learnt of, open for writing."""
    session = new_session(tmp_path, "emulator")
    context = open_context(session, BenchOptions())
    session.begin(session.workload.initial, None, "workload", 0)
    session.finish(1, context.bench.evaluator.evaluate(session.workload.initial))
    yield context
    context.close()


def at_roof(*names: str, source: TimeSource | None = None) -> AttemptDiagnosis:
    cases = tuple(
        CaseDiagnosis(
            n,
            "scale",
            "test",
            estimated=True,
            findings=(),
            not_evaluated={},
            at_roof=True,
            time_us=2.0,
            floor_us=1.9,
            time_source=source,
        )
        for n in names
    )
    return AttemptDiagnosis(cases, names[0] if names else None)


def test_an_incumbent_at_its_roof_ends_the_search(finished: LoopContext) -> None:
    assert reason_to_stop(finished) is None
    finished.session.write_diagnosis(1, at_roof("small"))
    assert reason_to_stop(finished) == "nothing is left to gain: small at its roof, 95 % of its floor"


def test_by_estimates_the_search_ends_by_the_estimates(finished: LoopContext) -> None:
    finished.session.write_diagnosis(1, at_roof("small", source=TimeSource.ESTIMATED))
    assert reason_to_stop(finished) == (
        "nothing is left to gain by the estimates: small at its roof, est. 95 % of its floor"
    )


def test_a_case_that_was_not_looked_at_may_hold_a_gain(finished: LoopContext) -> None:
    finished.session.write_diagnosis(1, at_roof("another"))
    assert reason_to_stop(finished) is None


SECOND_CASE = """
[[cases]]
name = "large"
kind = "perf"
dims = { n = 4096 }
"""


@pytest.fixture
def measured(shared: Shared) -> Measured:
    """A session below a directory, on a simulated GPU."""

    def measured(
        root: Path, behaviour: Behaviour, script: list[tuple[int, Hypothesis]], more_cases: str = ""
    ) -> Session:
        session = new_session(root, "gpu:0", more_cases=more_cases)
        bench = shared.measured(session.workload, session_secret(session), behaviour)
        context = LoopContext(session, bench, Scripted(script), Budget(None, None, patience=12, max_repairs=0))
        try:
            run_session(context)
        finally:
            context.close()
        return session

    return measured


def test_without_counters_a_measured_session_goes_on_and_says_so_once(tmp_path: Path, measured: Measured) -> None:
    behaviour = Behaviour(unit_us=by_block_size({32: 20.0, 64: 16.0, 128: 24.0}))
    session = measured(tmp_path, behaviour, [(64, FEWER_BLOCKS), (128, NO_COUNTERS)])
    notes = [event.text for event in session.events() if event.kind == "note" and "no hardware counters" in event.text]
    assert len(notes) == 1
    assert "hands out no run that a profiler could watch" in notes[0]
    assert diagnosed(session, 2).verdict is Verdict.BORNE_OUT, "the grid is known without a profiler"
    assert session.diagnosis(3) is None, "neither the incumbent nor a hypothesis that names counters"
    assert session.summary() is not None


@pytest.mark.parametrize(("hypothesis", "worth"), [(None, False), (NO_COUNTERS, False), (MORE_BLOCKS, True)])
def test_on_a_gpu_a_profile_is_for_incumbents_and_for_hypotheses_that_name_counters(
    tmp_path: Path, measured: Measured, hypothesis: Hypothesis | None, worth: bool
) -> None:
    behaviour = Behaviour(unit_us=by_block_size({32: 20.0, 64: 24.0}))
    session = measured(tmp_path, behaviour, [(64, NO_COUNTERS)])
    loser = session.attempt(2)
    attempt = Attempt(2, 1, "test", loser.candidate, hypothesis, loser.evaluation)
    evaluator = type("Measuring", (), {"measures": True})()
    bench = type("Bench", (), {"evaluator": evaluator})()
    context = LoopContext(session, bench, Scripted([]), Budget(None, None, patience=12, max_repairs=0))
    assert worth_profiling(context, attempt) == worth
    assert worth_profiling(context, session.attempt(1))


def test_on_a_gpu_one_case_is_profiled_until_nothing_is_left_to_gain_there(
    tmp_path: Path, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    finished_cases: set[str] = set()

    def profiled(*arguments: Any) -> tuple[CaseProfile, ...]:
        asked.append(list(arguments[3]))
        launch = LaunchCounters(0, "scale", {})
        return tuple(CaseProfile(name, "subject", "test", Cache.COLD, (launch,)) for name in arguments[3])

    def judged(profile: CaseProfile, situation: object) -> CaseDiagnosis:
        (case,) = at_roof(profile.case).cases
        return replace(case, at_roof=profile.case in finished_cases)

    monkeypatch.setattr("warpwright.loop.diagnosis.profile_cases", profiled)
    monkeypatch.setattr("warpwright.evaluation.judgement.diagnose_case", judged)
    behaviour = Behaviour(unit_us=by_block_size({32: 20.0, 64: 16.0, 128: 12.0}))
    measured(tmp_path / "open", behaviour, [(64, NO_COUNTERS)], SECOND_CASE)
    assert len(asked) == 2
    assert asked[0] == asked[1]
    (kept,) = asked[0]
    asked.clear()
    finished_cases.add(kept)
    other = ({"small", "large"} - {kept}).pop()
    measured(tmp_path / "at roof", behaviour, [(64, NO_COUNTERS), (128, NO_COUNTERS)], SECOND_CASE)
    assert asked == [[kept], [other], [other], [other]]


def test_counters_that_were_lost_on_the_way_refute_nothing(
    tmp_path: Path, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parent was profiled; for its child only the least that DRAM can have done is known."""
    taken = iter([Counter(0.62, Source.NCU, Quality.MEASURED), *(3 * [Counter(0.45, Source.MODEL, Quality.ESTIMATED)])])

    def profiled(*arguments: Any) -> tuple[CaseProfile, ...]:
        counter = next(taken)
        launch = LaunchCounters(0, "scale", {"dram_throughput_ratio": counter})
        return tuple(CaseProfile(n, "subject", counter.source.value, Cache.COLD, (launch,)) for n in arguments[3])

    monkeypatch.setattr("warpwright.loop.diagnosis.profile_cases", profiled)
    behaviour = Behaviour(unit_us=by_block_size({32: 20.0, 64: 16.0}))
    more_dram = Hypothesis("wider loads", "DRAM is busier", {"dram_throughput_ratio": 1.3})
    found = diagnosed(measured(tmp_path, behaviour, [(64, more_dram)]), 2)
    assert found.verdict is Verdict.UNKNOWN
    assert found.against_parent == ()
    assert found.checks[0].reason == "measured (ncu) before, estimated (model) now"
    assert found.notes == (
        "counters of the parent: not compared, because they were not counted alike: dram_throughput_ratio (ncu; model)",
    )


def test_a_fault_of_profiling_does_not_end_a_session(
    tmp_path: Path, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise InfrastructureError("the harness did not come up")

    monkeypatch.setattr("warpwright.loop.diagnosis.profile_cases", broken)
    behaviour = Behaviour(unit_us=by_block_size({32: 20.0, 64: 16.0}))
    session = measured(tmp_path, behaviour, [(64, FEWER_BLOCKS)])
    assert session.incumbent() == 2
    assert diagnosed(session, 2).bottleneck is None
    assert [event.attempt for event in session.events() if "the harness did not come up" in event.text] == [1, 2]
