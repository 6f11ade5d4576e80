"""`warpwright history` as a person uses it."""

import json
import sqlite3
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from record.history.lessons import lesson, trial
from warpwright.cli.history import print_history
from warpwright.cli.main import run
from warpwright.record.history.store import History


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    path = tmp_path / "history.sqlite"
    monkeypatch.setenv("WARPWRIGHT_HISTORY", str(path))
    history = History(path)
    history.learn(lesson("one", [trial(), trial("unroll", None, worked=False, attempt=3)]))
    history.learn(lesson("two"))
    return history


def test_list_says_what_worked(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "list"]) == 0
    text = capsys.readouterr().out
    assert "vectorise 1.50x" in text
    assert "unroll" not in text
    assert run(["history", "list", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["session"] for row in document} == {"one", "two"}
    unroll = next(row for row in document if row["session"] == "one")["trials"][1]
    assert (unroll["technique"], unroll["gain"], unroll["worked"]) == ("unroll", None, False)


def test_path(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "path", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == {"path": str(history.path), "exists": True, "bytes": history.path.stat().st_size}


def test_forget(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "forget", "one"]) == 0
    assert "dropped: 1 of 2 sessions" in capsys.readouterr().out
    assert [learnt.lesson.session for learnt in history.everything()] == ["two"]
    assert run(["history", "forget", "one"]) == 2
    assert "nothing was learnt from one" in capsys.readouterr().err
    assert run(["history", "forget"]) == 2
    assert run(["history", "forget", "two", "--all"]) == 2
    assert run(["history", "forget", "--all"]) == 0
    assert not history.path.exists()


LONG = "20260301-142530-row-wise-softmax-of-the-second-head"


TECHNIQUE = "one warp a row, and rows in registers"


def test_list_folds_nothing_into_a_pipe(
    history: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    history.learn(lesson(LONG, [trial(technique=TECHNIQUE)]))
    assert run(["history", "list"]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if LONG in line.split()]
    assert TECHNIQUE in row


@pytest.mark.parametrize("name", [LONG, f"{LONG}-and-of-{'all-the-others-' * 4}"])
def test_list_keeps_a_name_on_one_line_of_a_terminal(history: History, name: str) -> None:
    history.learn(lesson(name, [trial(technique=TECHNIQUE)]))
    console = Console(file=StringIO(), width=80, force_terminal=True, color_system=None, highlight=False)
    print_history(console, history.everything())
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    assert any(name in line.split() for line in text.splitlines())
    assert "…" not in text
    assert TECHNIQUE not in text  # what need not be copied folds


def test_forget_takes_the_beginning_of_a_name(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (LONG, LONG.replace("142530", "142631")):
        history.learn(lesson(name))
    assert run(["history", "forget", "20260301-14"]) == 2
    said = capsys.readouterr().err
    assert "'20260301-14' begins 2 sessions: " in said
    assert "Type more of the name." in said
    assert run(["history", "forget", "20260301-1425", "o"]) == 0
    assert sorted(learnt.lesson.session for learnt in history.everything()) == [LONG.replace("142530", "142631"), "two"]


def test_forget_drops_a_lesson_that_cannot_be_read(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(history.path) as connection:
        connection.execute("UPDATE session SET fingerprint = '{}'")
    connection.close()
    assert run(["history", "forget", "one"]) == 0
    assert "dropped: 1 of 2 sessions" in capsys.readouterr().out


def test_a_damaged_history_can_be_dropped(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    history.path.write_bytes(b"\0" * 5000)
    assert run(["history", "list"]) == 2
    assert "history forget --all" in capsys.readouterr().err
    assert run(["history", "forget", "--all"]) == 0
    assert run(["history", "list"]) == 0


def test_off(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WARPWRIGHT_HISTORY", "off")
    assert run(["history", "list"]) == 2
    assert "WARPWRIGHT_HISTORY is `off`" in capsys.readouterr().err
