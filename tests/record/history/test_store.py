"""Real SQLite files: two processes, killed writers, full disks, damage."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from record.history.lessons import ROWS, lesson, trial
from record.history.writer import TRIALS
from warpwright.errors import InfrastructureError, RecordError
from warpwright.record.history import schema
from warpwright.record.history.fingerprint import OperationKind
from warpwright.record.history.store import History

WRITER = Path(__file__).with_name("writer.py")
TESTS = Path(__file__).resolve().parents[2]
KILLS = 5


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "user data" / "history.sqlite")


def writer(history: History, name: str, count: int, *limit_bytes: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(history.path), name, str(count), *map(str, limit_bytes)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )


def test_a_lesson_comes_back_as_it_was_learnt(history: History) -> None:
    kept = lesson("a", [trial(), trial("unroll", None, worked=False, attempt=3, card="FG-24")])
    assert history.everything() == ()
    assert not history.path.exists()
    history.learn(kept)
    assert history.lessons(OperationKind.ROW_WISE, "sm_90", measured=False) == (kept,)
    assert [learnt.lesson for learnt in history.everything()] == [kept]


def test_the_same_session_again_takes_the_place_of_what_it_taught_before(history: History) -> None:
    history.learn(lesson("a", [trial(), trial("unroll", attempt=3)]))
    history.learn(lesson("a", [trial("tile", attempt=5)]))
    (kept,) = history.everything()
    assert [t.technique for t in kept.lesson.trials] == ["tile"]


def test_architectures_kinds_and_kinds_of_times_are_kept_apart(history: History) -> None:
    history.learn(lesson("h200"))
    history.learn(lesson("timed", measured=True))
    history.learn(lesson("ampere", arch="sm_80"))
    assert [found.session for found in history.lessons(ROWS.kind, "sm_90", measured=False)] == ["h200"]
    assert [found.session for found in history.lessons(ROWS.kind, "sm_90", measured=True)] == ["timed"]
    assert history.lessons(OperationKind.MAP, "sm_90", measured=False) == ()


def test_forgetting(history: History) -> None:
    assert history.forget(["a"]) == 0
    for name in "abc":
        history.learn(lesson(name))
    assert history.forget(["a", "/sessions/b", "z"]) == 2
    assert [learnt.lesson.session for learnt in history.everything()] == ["c"]
    history.forget_all()
    assert not history.path.exists()
    history.forget_all()
    history.learn(lesson("d"))
    assert len(history.everything()) == 1


def test_two_processes_add_to_a_new_history_at_once(history: History) -> None:
    processes = [writer(history, name, 25) for name in ("left", "right")]
    for process in processes:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert sorted(learnt.lesson.session for learnt in history.everything()) == sorted(
        f"{name}{n}" for name in ("left", "right") for n in range(25)
    )


def test_a_killed_writer_leaves_whole_lessons_and_a_history_that_goes_on(history: History) -> None:
    moments = random.Random(3)
    seen = 0
    for kill in range(KILLS):
        process = writer(history, f"run{kill}-", 10_000)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"  # its first lesson is in
        time.sleep(moments.uniform(0.0, 0.05))
        process.kill()
        process.communicate()
        lessons = history.everything()
        assert all(len(learnt.lesson.trials) == TRIALS for learnt in lessons)
        assert len(lessons) > seen
        seen = len(lessons)
        history.learn(lesson(f"after{kill}", [trial(attempt=n) for n in range(TRIALS)]))
        seen += 1


def test_a_full_disk_is_said_and_nothing_is_lost(history: History) -> None:
    history.learn(lesson("before", [trial(attempt=n) for n in range(TRIALS)]))
    process = writer(history, "more", 200, history.path.stat().st_size + 4096)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"InfrastructureError" in err
    assert "before" in [learnt.lesson.session for learnt in history.everything()]
    assert all(len(learnt.lesson.trials) == TRIALS for learnt in history.everything())


def test_a_locked_history_is_said(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    history.learn(lesson("a"))
    monkeypatch.setattr(schema, "_WAIT_S", 0.05)
    with closing(sqlite3.connect(history.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InfrastructureError, match="held by another process"):
            history.learn(lesson("b"))
        with pytest.raises(InfrastructureError, match="held by another process"):
            history.everything()
    history.learn(lesson("b"))


@pytest.mark.parametrize("keep", [0, 100, 5000], ids=["not a database", "header only", "torn"])
def test_a_damaged_file_is_named_with_what_to_do(history: History, keep: int) -> None:
    for name in range(30):
        history.learn(lesson(str(name), [trial(attempt=n) for n in range(TRIALS)]))
    content = history.path.read_bytes()
    history.path.write_bytes(content[:keep] + b"\xa5" * (len(content) - keep))
    with pytest.raises(RecordError, match=r"history\.sqlite: damaged .*forget --all"):
        history.everything()
    with pytest.raises(RecordError, match="damaged"):
        history.learn(lesson("b"))
    history.forget_all()
    history.learn(lesson("b"))


def test_another_version_and_somebody_elses_database_are_left_alone(history: History, tmp_path: Path) -> None:
    history.learn(lesson("a"))
    with closing(sqlite3.connect(history.path)) as connection:
        connection.execute("PRAGMA user_version = 9")
    before = history.path.read_bytes()
    for call in (history.everything, lambda: history.learn(lesson("b"))):
        with pytest.raises(RecordError, match="history of schema 9; this Warpwright reads 1"):
            call()
    assert history.path.read_bytes() == before
    other = History(tmp_path / "bookmarks.sqlite")
    with closing(sqlite3.connect(other.path)) as connection:
        connection.execute("CREATE TABLE bookmark(url TEXT)")
    with pytest.raises(RecordError, match="something else than Warpwright"):
        other.learn(lesson("b"))


def test_a_place_that_cannot_hold_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="cannot be written"):
        History(tmp_path / "file" / "history.sqlite").learn(lesson("a"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(InfrastructureError, match="cannot be opened"):
        History(tmp_path / "folder").everything()
