from collections.abc import Callable
from pathlib import Path

import pytest

from warpwright.candidate.candidate import Candidate
from warpwright.errors import RecordError
from warpwright.evaluation.outcome import Evaluation
from warpwright.record.catalog import SessionState, find_session, list_sessions
from warpwright.record.session import Session
from warpwright.record.summary import Summary


def test_a_listing_says_what_a_session_found(session: Session, script: list[tuple[Candidate, Evaluation]]) -> None:
    for number, (candidate, evaluation) in enumerate(script, start=1):
        session.begin(candidate, None, "builtin", 0)
        session.finish(number, evaluation)
    (listing,) = list_sessions(session.directory.parent)
    assert (listing.identifier, listing.workload, listing.device) == (session.identifier, "double", "PTX emulator")
    assert (listing.attempts, listing.best, listing.initial_us, listing.best_us) == (7, 6, 20.0, 9.0)
    assert listing.speedup == pytest.approx(20 / 9)


def test_states(create: Callable[[], Session]) -> None:
    running, resumable, ended, broken = (create() for _ in range(4))
    ended.write_summary(Summary("exhausted", 0, (), 1.0))
    for session in (resumable, ended, broken):
        session.close()
    (broken.directory / "session.json").write_text("{")
    states = {listing.directory: listing.state for listing in list_sessions(running.directory.parent)}
    assert states == {
        running.directory: SessionState.RUNNING,
        resumable.directory: SessionState.RESUMABLE,
        ended.directory: SessionState.ENDED,
        broken.directory: SessionState.UNREADABLE,
    }


def test_no_directory_is_no_session(tmp_path: Path) -> None:
    assert list_sessions(tmp_path / "none") == []


def test_finding_by_path_name_beginning_and_last(create: Callable[[], Session]) -> None:
    first, second = create().directory, create().directory
    root = first.parent
    assert find_session(root, str(second)) == second
    assert find_session(root, second.name) == second
    assert find_session(root, first.name) == first
    assert find_session(root, "last") == second
    with pytest.raises(
        RecordError, match=f"'2' begins 2 sessions: {first.name}, {second.name}. Type more of the name."
    ):
        find_session(root, "2")


def test_not_finding_says_what_there_is(create: Callable[[], Session], tmp_path: Path) -> None:
    session = create().directory
    with pytest.raises(RecordError) as caught:
        find_session(session.parent, "nope")
    assert str(caught.value) == (
        f"no session 'nope' below {session.parent}. There are: {session.name}. Give a path, a name, its beginning, or `last`."
    )
    with pytest.raises(RecordError, match=r"There are none\."):
        find_session(tmp_path / "empty", "last")
