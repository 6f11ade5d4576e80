"""SIGKILL while a session ends, or while a candidate enters an ended one: the next command does what was left undone."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loop.dying import killed_before
from loop.row_sums import FAST, KERNEL, write_fast, write_row_sums
from warpwright.candidate.directory import load_candidate
from warpwright.cli.main import run
from warpwright.errors import RecordError
from warpwright.loop.ending.complete import is_complete
from warpwright.loop.secret import attempt_secret, secret_path, session_secret
from warpwright.record.history.store import History
from warpwright.record.session import Session

OPTIMIZE = ("--device", "emulator", "--tuning-points", "0", "--iterations")
Command = Callable[..., str]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, on_shared: None) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("WARPWRIGHT_HISTORY", str(tmp_path / "history.sqlite"))
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(cache))


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "history.sqlite")


@pytest.fixture
def done_by(capsys: pytest.CaptureFixture[str]) -> Command:
    """What a command that ends well says on stderr."""

    def done_by(*arguments: str) -> str:
        code = run([*arguments, "--quiet"])
        said = capsys.readouterr().err
        assert code == 0, said
        return said

    return done_by


def optimized(root: Path, iterations: str) -> tuple[str, ...]:
    return (
        "optimize",
        str(write_row_sums(root / "workload")),
        "--sessions",
        str(root / "sessions"),
        *OPTIMIZE,
        iterations,
    )


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """A session that ended with its initial kernel."""
    root = tmp_path_factory.mktemp("ended")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(root / "state"))
        patch.setenv("WARPWRIGHT_HISTORY", "off")
        patch.setenv("WARPWRIGHT_CACHE", str(cache))
        assert run([*optimized(root, "1"), "--quiet"]) == 0
    (directory,) = (root / "sessions").iterdir()
    return directory


@pytest.fixture
def ended(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "session"))


def test_what_follows_the_summary_is_done_by_whoever_comes_next(
    tmp_path: Path, history: History, done_by: Command
) -> None:
    killed_before("secret", tmp_path, *optimized(tmp_path, "2"))
    (directory,) = (tmp_path / "sessions").iterdir()
    outside = secret_path(Session.open(directory, lock=False))
    secret = outside.read_text(encoding="ascii")
    for step in ("secrets of attempts", "lesson", "report", "ended"):
        killed_before(step, tmp_path, "resume", str(directory))
        assert not outside.exists()
    assert (directory / "secret").read_text(encoding="ascii") == secret
    assert (directory / "report.html").exists()
    assert "what was left undone at its end is done now" in done_by("resume", str(directory))
    (learnt,) = history.everything()
    assert [(trial.card, trial.worked) for trial in learnt.lesson.trials] == [("FG-04", True)]
    assert (learnt.lesson.arch, learnt.lesson.measured) == ("sm_90", False)

    history.forget_all()
    assert "nothing is left to do" in done_by("resume", str(directory))
    assert history.everything() == ()  # what a person dropped is not learnt again


def test_a_report_that_was_deleted_is_written_before_it_is_named(ended: Path, done_by: Command) -> None:
    (ended / "report.html").unlink()
    done_by("resume", str(ended))
    assert (ended / "report.html").exists()


@pytest.mark.parametrize(
    ("step", "by"),
    [
        ("evaluate", "resume"),
        ("record", "try"),
        ("diagnose", "resume"),
        ("last checks", "try"),
        ("secrets of attempts", "resume"),
        ("lesson", "try"),
        ("report", "resume"),
    ],
)
def test_a_candidate_of_an_ended_session_is_judged_to_its_end(
    ended: Path, tmp_path: Path, history: History, done_by: Command, step: str, by: str
) -> None:
    kernel = write_fast(tmp_path / "fast")
    killed_before(step, tmp_path, "try", str(ended), str(kernel))
    session = Session.open(ended, lock=False)
    own = attempt_secret(session, 2)  # whatever was killed, it is not the session's
    assert own != session_secret(session)
    done_by(by, str(ended), *([str(kernel)] if by == "try" else []))
    session = Session.open(ended, lock=False)
    assert (session.attempt_count, session.best(), session.pending()) == (2, 2, ())
    assert (ended / "attempts" / "0002" / "secret").read_text(encoding="ascii") == own
    assert load_candidate(ended / "best").source == FAST
    assert session.diagnosis(2) is not None
    assert "by hand" in (ended / "report.html").read_text(encoding="utf-8")
    assert [trial.worked for trial in history.everything()[0].lesson.trials] == [True]
    assert is_complete(session)


@pytest.mark.parametrize(
    ("step", "by"), [("proposed", "resume"), ("proposed", "try"), ("pledge", "resume"), ("pledge", "try")]
)
def test_one_that_was_begun_is_judged_though_no_secret_was_pledged(
    ended: Path, tmp_path: Path, done_by: Command, step: str, by: str
) -> None:
    kernel = write_fast(tmp_path / "fast")
    killed_before(step, tmp_path, "try", str(ended), str(kernel))
    session = Session.open(ended, lock=False)
    assert [pending.number for pending in session.pending()] == [2]
    assert not is_complete(session)
    done_by(by, str(ended), *([str(kernel)] if by == "try" else []))
    session = Session.open(ended, lock=False)
    assert (session.attempt_count, session.best(), session.pending()) == (2, 2, ())
    assert attempt_secret(session, 2) != session_secret(session)
    assert is_complete(session)


def test_what_was_in_hand_when_the_session_ended_stays_unfinished(
    ended: Path, tmp_path: Path, done_by: Command
) -> None:
    killed_before("pledge", tmp_path, "try", str(ended), str(write_fast(tmp_path / "fast")))
    events = ended / "events.jsonl"
    *others, proposed = events.read_text(encoding="utf-8").splitlines(keepends=True)
    assert '"proposed"' in proposed
    events.write_text("".join([*others[:-1], proposed, others[-1]]), encoding="utf-8")
    assert "nothing is left to do" in done_by("resume", str(ended))
    assert [pending.number for pending in Session.open(ended, lock=False).pending()] == [2]


def test_one_that_lost_keeps_its_own_secret_too(ended: Path, tmp_path: Path, done_by: Command) -> None:
    (tmp_path / "same.cu").write_text(f"{KERNEL}// another comment\n", encoding="utf-8")
    killed_before("record", tmp_path, "try", str(ended), str(tmp_path / "same.cu"))
    session = Session.open(ended, lock=False)
    own = attempt_secret(session, 2)
    done_by("try", str(ended), str(write_fast(tmp_path / "fast")))
    done_by("try", str(ended), str(write_fast(tmp_path / "faster", FAST.replace("0.0f", "0.f"))))
    session = Session.open(ended, lock=False)
    secrets = [attempt_secret(session, number) for number in (1, 2, 3, 4)]
    assert secrets[1] == own
    assert secrets[0] not in secrets[1:]
    assert secrets[3] not in secrets[:3]


def test_a_lost_secret_is_never_taken_for_the_sessions(ended: Path, tmp_path: Path) -> None:
    killed_before("record", tmp_path, "try", str(ended), str(write_fast(tmp_path / "fast")))
    shutil.rmtree(tmp_path / "state")
    with pytest.raises(RecordError, match=r"the secret that judged this attempt is not at .*entry any more"):
        attempt_secret(Session.open(ended, lock=False), 2)
