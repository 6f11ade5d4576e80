"""A session that repeats another: after kills, with the history that the other one had, and said to be recorded."""

from pathlib import Path

import pytest

from loop.beam.wide import write_wide
from loop.model.replies import QUIET, Killed, killed_in, reply
from loop.model_session import Script, command, essence, exchanges, only_session, optimize, outcomes
from warpwright.cli.main import run
from warpwright.record.event import LedgerEntry
from warpwright.record.history.given import read_given
from warpwright.record.session import Session
from warpwright.report.ledger.spending import spending_lines

COMMON = ("--iterations", "4", *QUIET)


@pytest.fixture
def recorded(tmp_path: Path) -> Session:
    workload = write_wide(tmp_path / "wide").directory
    script = Script([reply(128), reply(64), reply(32)])
    assert optimize(workload, tmp_path / "first", script, *COMMON) == 0
    return only_session(tmp_path / "first")


def test_a_reply_that_a_kill_kept_out_of_the_ledger_is_not_given_twice(tmp_path: Path, recorded: Session) -> None:
    spend = Session.spend

    def dies(self: Session, entry: LedgerEntry) -> None:
        if entry.kind == "model":
            raise Killed
        spend(self, entry)

    with killed_in("spend", dies):
        command(tmp_path / "wide", tmp_path / "again", "--model", f"replay:{recorded.directory}", *COMMON)
    assert run(["resume", "last", "--sessions", str(tmp_path / "again"), "--quiet"]) == 0
    again = only_session(tmp_path / "again")
    assert essence(again) == essence(recorded)
    assert [exchange.verdict for exchange in exchanges(again)] == ["", "", ""]  # a reply given twice would be a repeat


def test_it_is_told_apart_from_a_session_that_asked(tmp_path: Path, recorded: Session) -> None:
    model = f"replay:{recorded.directory}"
    assert command(tmp_path / "wide", tmp_path / "again", "--model", model, *COMMON) == 0
    again = only_session(tmp_path / "again")
    assert {row[0] for row in outcomes(again, f"replay:{recorded.identifier}")} == {"workload", "model"}
    lines = dict(spending_lines(again))
    assert lines["Requests to the model"] == "3; recorded ones, none was sent"
    assert lines["Waiting for the model"] == "none: its replies were recorded"
    assert again.spending().model_seconds == 0.0
    assert dict(spending_lines(recorded))["Requests to the model"] == "3"


def test_it_is_given_the_history_of_the_other_one_not_todays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPWRIGHT_HISTORY", str(tmp_path / "history.jsonl"))
    workload = write_wide(tmp_path / "wide").directory
    known = ("--iterations", "2", "--tuning-points", "0", "--max-repairs", "0")
    assert optimize(workload, tmp_path / "first", Script([reply(128)]), *known) == 0
    first = only_session(tmp_path / "first")
    given = read_given(first.directory)
    assert given is not None
    assert given.lessons == 0
    assert (tmp_path / "history.jsonl").exists()  # it taught something, which a new session would be told
    assert command(workload, tmp_path / "again", "--model", f"replay:{first.directory}", *known) == 0
    assert read_given(only_session(tmp_path / "again").directory) == given


def test_of_a_session_without_history_a_replay_has_none(
    tmp_path: Path, recorded: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWRIGHT_HISTORY", str(tmp_path / "history.jsonl"))
    model = ("--model", f"replay:{recorded.directory}", "--iterations", "2", "--tuning-points", "0")
    assert command(tmp_path / "wide", tmp_path / "again", *model) == 0
    assert read_given(only_session(tmp_path / "again").directory) is None


def test_a_replay_of_nothing_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = write_wide(tmp_path / "wide").directory
    assert command(workload, tmp_path / "s", "--model", "replay:") == 2
    assert "names no session; write replay:SESSION, or replay:last" in " ".join(capsys.readouterr().err.split())
