import json
from collections.abc import Callable

import pytest

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.directory import load_candidate
from warpwright.errors import RecordError
from warpwright.evaluation.outcome import Evaluation
from warpwright.record.attempt import Hypothesis, TuningPoint
from warpwright.record.event import Event
from warpwright.record.session import Session
from warpwright.record.summary import FinalCheck, Summary

Script = list[tuple[Candidate, Evaluation]]
POINT = TuningPoint({"BLOCK": 128}, {"large": {"block": "64"}}, "passed", 12.5, "fine")


def play(session: Session, script: Script) -> None:
    for number, (candidate, evaluation) in enumerate(script, start=1):
        hypothesis = None if number == 1 else Hypothesis("coarsen", "fewer threads", {"instructions": 0.5})
        assert session.begin(candidate, hypothesis, "builtin", number - 1) == number
        session.finish(number, evaluation)


def test_what_was_written_is_read_again(session: Session, script: Script) -> None:
    play(session, script)
    session.close()

    again = Session.open(session.directory, lock=False)

    assert repr(again.attempts()) == repr(session.attempts())  # one of them holds a NaN
    assert [a.candidate for a in again.attempts()] == [candidate for candidate, _ in script]
    assert again.attempts()[3].hypothesis == Hypothesis("coarsen", "fewer threads", {"instructions": 0.5})
    assert [a.parent for a in again.attempts()] == list(range(len(script)))
    assert (again.options, again.identifier, again.created_at) == (
        session.options,
        session.identifier,
        session.created_at,
    )
    assert (again.device, again.graph_version, again.versions) == ("PTX emulator", 1, {"warpwright": "0.1.0"})
    assert again.workload.content_hash == session.workload.content_hash


def test_incumbent_is_the_last_that_improved(session: Session, script: Script) -> None:
    seen = []
    for number, (candidate, evaluation) in enumerate(script, start=1):
        session.begin(candidate, None, "builtin", 0)
        session.finish(number, evaluation)
        seen.append(session.incumbent())
    assert seen == [1, 1, 3, 3, 3, 6, 6]
    assert session.incumbents() == (1, 3, 6)


def test_beginning_the_same_candidate_twice_is_one_attempt(session: Session, script: Script) -> None:
    candidate = script[0][0]
    assert session.begin(candidate, None, "builtin", 0) == 1
    assert session.begin(candidate, None, "builtin", 0) == 1
    (pending,) = session.pending()
    assert (pending.number, pending.candidate, pending.proposer) == (1, candidate, "builtin")


def test_several_attempts_in_hand_are_finished_in_their_order(session: Session, script: Script) -> None:
    session.begin(script[0][0], None, "builtin", 0)
    session.finish(1, script[0][1])
    for candidate, _ in script[1:4]:
        session.begin(candidate, None, "builtin", 1)
    assert [attempt.number for attempt in session.pending()] == [2, 3, 4]
    assert session.begin(script[2][0], None, "builtin", 1) == 3
    assert (session.attempt_count, session.next_number) == (1, 5)
    with pytest.raises(RecordError) as caught:
        session.finish(3, script[2][1])
    assert str(caught.value).endswith("attempt 3 is finished after attempt 2, not before it.")
    session.close()
    with Session.open(session.directory) as again:
        assert [(p.number, p.parent, p.candidate) for p in again.pending()] == [
            (n, 1, script[n - 1][0]) for n in (2, 3, 4)
        ]
        for number in (2, 3, 4):
            again.finish(number, script[number - 1][1])
        assert again.pending() == ()
        assert again.next_number == 5


def test_an_unfinished_attempt_is_no_parent(session: Session, script: Script) -> None:
    session.begin(script[0][0], None, "builtin", 0)
    with pytest.raises(RecordError, match=r"attempt 2 names parent 1; finished are 1\.\.0"):
        session.begin(script[1][0], None, "builtin", 1)


def test_an_outcome_that_is_missing_before_another_is_damage(session: Session, script: Script) -> None:
    play(session, script[:3])
    session.close()
    (session.attempt_directory(2) / "outcome.json").unlink()
    with pytest.raises(RecordError, match=r"0002: outcome\.json is missing, while attempt 3 is there"):
        Session.open(session.directory, lock=False)


def test_finishing_twice_changes_nothing_and_another_outcome_is_refused(session: Session, script: Script) -> None:
    play(session, script[:1])
    kept = {p.name: p.read_bytes() for p in session.attempt_directory(1).iterdir() if p.is_file()}
    assert session.finish(1, script[0][1]) == session.attempt(1)
    with pytest.raises(RecordError, match="already finished with another outcome; attempts are kept"):
        session.finish(1, script[2][1])
    assert {p.name: p.read_bytes() for p in session.attempt_directory(1).iterdir() if p.is_file()} == kept


def test_an_attempt_has_the_files_of_its_outcome(session: Session, script: Script) -> None:
    play(session, script[:2])
    names = [sorted(p.name for p in session.attempt_directory(n).iterdir()) for n in (1, 2)]
    passed = ["kernel.cu", "kernel.cubin", "kernel.ptx", "outcome.json", "proposal", "timing.json", "verify.json"]
    assert names[0] == ["candidate.toml", "compile.json", *passed]
    assert names[1] == ["candidate.toml", "compile.json", "kernel.cu", "outcome.json", "proposal"]


def test_numbers_that_are_not_finite_never_reach_json(session: Session, script: Script) -> None:
    play(session, script)
    for path in session.directory.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    mismatch = session.attempt(4).evaluation.cases[0].comparisons[0].first[0]
    assert (str(mismatch.got), mismatch.want) == ("nan", float("-inf"))


def test_best_is_the_incumbent_ready_to_use(session: Session, script: Script) -> None:
    play(session, script)
    session.promote(3)
    session.promote(6)
    assert load_candidate(session.directory / "best") == script[5][0]
    readme = (session.directory / "best" / "README.md").read_text(encoding="utf-8")
    assert "`twice`: grid (ceil_div(n, BLOCK)), block (BLOCK), dynamic shared memory 0 bytes" in readme
    assert "`-DBLOCK=256`" in readme
    assert "9.00 us (estimated, NVIDIA H200)" in readme


def test_only_incumbents_are_promoted(session: Session, script: Script) -> None:
    play(session, script)
    with pytest.raises(RecordError, match="attempt 5 never was the incumbent"):
        session.promote(5)


def test_opening_makes_up_for_a_kill_before_promote(session: Session, script: Script) -> None:
    play(session, script)
    session.promote(3)
    session.close()
    Session.open(session.directory).close()
    assert load_candidate(session.directory / "best") == script[5][0]


def test_tuning_points_are_kept_in_order(session: Session, script: Script) -> None:
    play(session, script[:1])
    session.add_tuning_point(1, POINT)
    session.add_tuning_point(1, TuningPoint({"BLOCK": 256}, {}, "crash.misaligned", None))
    assert session.tuning(1) == (POINT, TuningPoint({"BLOCK": 256}, {}, "crash.misaligned", None))
    assert not session.tuning_finished(1)
    session.finish_tuning(1)
    session.close()
    assert Session.open(session.directory, lock=False).tuning_finished(1)


def test_events_reach_the_log_and_the_watchers(session: Session) -> None:
    seen: list[Event] = []
    unwatch = session.watch(seen.append)
    session.emit(Event("stage", 1, "compile", {"done": 1, "geomean_us": None}))
    unwatch()
    session.emit(Event("note", text="later"))
    assert [event.text for event in seen] == ["compile"]
    assert session.events()[0] == seen[0]
    assert [event.text for event in session.events()] == ["compile", "later"]


def test_spends_add_up_over_processes(session: Session) -> None:
    session.charge("evaluate", 1, 2.5, device_seconds=1.0)
    session.close()
    with Session.open(session.directory) as again:
        again.charge("tune", 1, 0.5)
        assert again.spent_s() == 3.0
        assert [entry.device_seconds for entry in again.ledger()] == [1.0, None]


def test_the_summary_ends_a_session(session: Session, script: Script) -> None:
    play(session, script)
    session.promote(6)
    assert (session.ended, session.best()) == (False, 6)
    summary = Summary(
        "budget", 3, (FinalCheck(6, passed=False, message="hidden case"), FinalCheck(3, passed=True, message="")), 12.5
    )
    session.write_summary(summary)
    assert (session.ended, session.best(), session.summary()) == (True, 3, summary)
    assert load_candidate(session.directory / "best") == script[2][0]
    session.write_summary(Summary("budget", 0, (), 12.5))
    assert not (session.directory / "best").exists()


def test_readers_do_not_write(session: Session) -> None:
    reader = Session.open(session.directory, lock=False)
    with pytest.raises(RecordError, match="opened for reading only"):
        reader.emit(Event("note"))


def test_sessions_of_one_second_have_their_own_directories(create: Callable[[], Session]) -> None:
    directories = [create().directory for _ in range(3)]
    assert len(set(directories)) == 3
    assert all(path.name.split("-")[2] == "double" for path in directories)
