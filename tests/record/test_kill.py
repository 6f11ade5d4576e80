"""Killed at any moment, a session keeps every acknowledged write and doubles none; two writers never meet."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.directory import load_candidate
from warpwright.errors import RecordError
from warpwright.evaluation.outcome import Evaluation
from warpwright.record.attempt import TuningPoint
from warpwright.record.session import Session

WRITER = Path(__file__).with_name("killed_writer.py")
KILLS = 20
POINTS = tuple(TuningPoint({"BLOCK": 32 * n}, {}, "passed", 10.0 + n) for n in range(1, 6))


@pytest.fixture
def model(create: Callable[[], Session], script: list[tuple[Candidate, Evaluation]]) -> Session:
    """An undisturbed session: seven attempts, each followed by a search of five points."""
    session = create()
    for number, (candidate, evaluation) in enumerate(script, start=1):
        session.begin(candidate, None, "builtin", 0)
        session.finish(number, evaluation)
        for point in POINTS:
            session.add_tuning_point(number, point)
    return session


def start(model: Path, session: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, str(WRITER), str(model), str(session)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def check_prefix(directory: Path, model: Session) -> tuple[int, int]:
    """What is kept is a beginning of the undisturbed session; how much of it."""
    with Session.open(directory) as session:
        attempts = session.attempts()
        assert repr(attempts) == repr(model.attempts()[: len(attempts)])
        begun = [pending.candidate for pending in session.pending()]
        assert begun == [model.attempt(pending.number).candidate for pending in session.pending()]
        points = [session.tuning(attempt.number) for attempt in attempts]
        assert all(found == POINTS[: len(found)] for found in points)
        best = session.best()
        assert best == 0 or load_candidate(directory / "best") == model.attempt(best).candidate
    return len(attempts), sum(map(len, points))


def test_twenty_kills_lose_and_double_nothing(session: Session, model: Session) -> None:
    session.close()
    moments = random.Random(5)
    kept = [(0, 0)]
    for _ in range(KILLS):
        process = start(model.directory, session.directory)
        time.sleep(moments.uniform(0.0, 0.03))
        process.kill()
        process.communicate()
        kept.append(check_prefix(session.directory, model))
    assert kept == sorted(kept)
    finisher = start(model.directory, session.directory)
    finisher.communicate()
    assert finisher.returncode == 0
    assert check_prefix(session.directory, model) == (7, 35)
    assert not list(session.directory.rglob("*.part"))


def test_every_file_operation_may_be_the_last(
    create: Callable[[], Session], model: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deterministic complement of the kills: stop before the n-th rename, for every n of two attempts."""
    rename, rounds = Path.replace, 0
    for last in range(100):
        session = create()
        left = iter(range(last))

        def replace(self: Path, target: Path, left: object = left) -> Path:
            if next(left, None) is None:  # type: ignore[call-overload] # an iterator, typed loosely for the default
                raise KeyboardInterrupt
            return rename(self, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", replace)
            try:
                for attempt in model.attempts()[:2]:
                    assert session.begin(attempt.candidate, None, "builtin", 0) == attempt.number
                for attempt in model.attempts()[:2]:
                    session.finish(attempt.number, attempt.evaluation)
                return
            except KeyboardInterrupt:
                rounds += 1
            finally:
                session.close()
        check_prefix(session.directory, model)
    pytest.fail(f"not done after {rounds} interruptions")


def test_the_second_process_is_refused_with_the_first_ones_number(session: Session) -> None:
    session.close()
    code = (
        "import sys, pathlib, warpwright.record.session as s\n"
        "s = s.Session.open(pathlib.Path(sys.argv[1])); print('ready', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(session.directory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"ready\n"
    try:
        with pytest.raises(RecordError, match=rf"in use by process {holder.pid} since .*\. Wait for it, or stop it"):
            Session.open(session.directory)
        Session.open(session.directory, lock=False)
    finally:
        holder.kill()
        holder.communicate()
    Session.open(session.directory).close()  # the kill released the lock


def test_one_process_cannot_write_a_session_twice(session: Session) -> None:
    with pytest.raises(RecordError, match="in use by process"):
        Session.open(session.directory)
