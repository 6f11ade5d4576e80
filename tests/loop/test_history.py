"""Sessions that read the history and add to it, on the emulator."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from loop.row_sums import write_row_sums
from record.history.lessons import lesson, trial
from warpwright.cli.main import run
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.record.history.fingerprint import fingerprint_of
from warpwright.record.history.given import read_given
from warpwright.record.history.store import History
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

Optimize = Callable[..., tuple[Session, str]]
CARD = "FG-04"


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    path = tmp_path / "history.sqlite"
    monkeypatch.setenv("WARPWRIGHT_HISTORY", str(path))
    return History(path)


@pytest.fixture
def optimize(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], on_shared: None
) -> Optimize:
    """Runs a session of three attempts; gives it with what was said."""
    monkeypatch.setenv("WARPWRIGHT_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    workload = write_row_sums(tmp_path / "workload")

    def optimize(*more: str) -> tuple[Session, str]:
        common = ["--device", "emulator", "--iterations", "2", "--tuning-points", "0", "--json", "--quiet"]
        assert run(["optimize", str(workload), *common, *more]) == 0
        told = capsys.readouterr()
        return Session.open(Path(json.loads(told.out)["directory"]), lock=False), told.err

    return optimize


def card_basis(session: Session) -> str:
    guidance = session.guidance(1)
    assert isinstance(guidance, Guidance)
    return next(advice.card.gain_basis for advice in guidance.advice if advice.card.id == CARD)


def test_what_one_session_finds_the_next_is_told(history: History, optimize: Optimize) -> None:
    first, _ = optimize()
    (learnt,) = history.everything()
    assert learnt.lesson.session == first.identifier
    assert [(t.technique, t.card, t.worked) for t in learnt.lesson.trials] == [("block_per_row", CARD, True)]
    assert read_given(first.directory) is not None

    second, told = optimize()
    assert "history: 1 earlier sessions of this kind of operation (row-wise" in told
    given = read_given(second.directory)
    assert given is not None
    (hint,) = given.hints("grid_too_small")
    assert hint.startswith(
        "FG-04 block_per_row on row-wise operations, sm_90, against grid_too_small: kept in 1 of 1 sessions"
    )
    assert card_basis(second) == card_basis(first)  # one workload is no experience
    assert len(history.everything()) == 2


def test_the_field_guide_takes_results_on_three_workloads_for_its_own(
    history: History, optimize: Optimize, tmp_path: Path
) -> None:
    mark = fingerprint_of(load_workload(tmp_path / "workload"))
    for name, gain in (("one", 7.0), ("two", 0.9), ("three", 11.0)):
        history.learn(lesson(name, [trial("block_per_row", gain, card=CARD)], mark, workload=name))
    session, _ = optimize()
    assert card_basis(session) == "estimated, n = 3"


def test_the_first_prompt_of_a_model_has_the_hints(
    history: History,
    optimize: Optimize,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    optimize()
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    begin = ["optimize", str(tmp_path / "workload"), "--model", "openai:any", "--dry-run", "--device", "emulator"]
    told = "FG-04 block_per_row on row-wise operations"
    for more, expected in (([], True), (["--no-history"], False)):
        assert run([*begin, *more]) == 0
        assert (told in capsys.readouterr().out) is expected


def test_no_history_neither_reads_nor_adds(history: History, optimize: Optimize) -> None:
    session, _ = optimize("--no-history")
    assert not history.path.exists()
    assert read_given(session.directory) is None


def test_moves_at_random_teach_nothing(history: History, optimize: Optimize) -> None:
    optimize("--model", "undirected")
    assert history.everything() == ()


def test_a_history_that_cannot_be_read_is_named_once_and_the_session_goes_on(
    history: History, optimize: Optimize
) -> None:
    history.path.write_bytes(b"no database at all" * 100)
    session, told = optimize()
    assert session.best() == 2
    assert told.count("damaged") == 1
    assert "The session goes on without" in told
    notes = [event.text for event in session.events() if event.kind == "note" and "history" in event.text]
    assert len(notes) == 1
    assert history.path.read_bytes() == b"no database at all" * 100
