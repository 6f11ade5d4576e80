"""Nobody runs a described workload that was changed after its approval without being told."""

import shutil
from pathlib import Path

import pytest

from warpwright.cli.main import run
from warpwright.cli.session_run import start_session
from warpwright.record.options import SessionOptions
from warpwright.workload.approval import Approval, read_approval, write_approval
from warpwright.workload.loader import load_workload

SOFTMAX = Path(__file__).resolve().parents[2] / "examples" / "softmax"


@pytest.fixture
def approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workload that a person approved."""
    for variable in ("WARPWRIGHT_CACHE", "WARPWRIGHT_SESSIONS"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    directory = tmp_path / "softmax"
    shutil.copytree(SOFTMAX, directory)
    write_approval(load_workload(directory), Approval("a person", "2026-01-02T03:04:05+00:00", "softmax"))
    return directory


def edit(directory: Path) -> str:
    """Change the oracle; the warning that follows."""
    path = directory / "reference.py"
    path.write_text(path.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    return (
        f"{directory}: was approved by a person at 2026-01-02T03:04:05+00:00, and has been changed since (reference.py): "
        f"nobody has approved it as it is; `warpwright check {directory}` says what to do"
    )


COMMANDS = [["evaluate"], ["profile"], ["tune"], ["optimize"], ["optimize", "--model", "openai:any", "--dry-run"]]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_that_runs_a_workload_warns(
    words: list[str], approved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [words[0], str(approved), *words[1:], "--device", "cloud"]
    assert run(command) == 2
    assert "approved by" not in capsys.readouterr().err
    warning = edit(approved)
    assert run(command) == 2
    assert capsys.readouterr().err.count(f"warning: {warning}\n") == 1


def test_the_record_of_a_session_keeps_it(approved: Path, tmp_path: Path) -> None:
    options = SessionOptions(workload_path=str(approved), device="emulator:h200")
    with start_session(approved, options, tmp_path / "sessions") as session:
        assert session.events() == ()
    warning = edit(approved)
    with start_session(approved, options, tmp_path / "sessions") as session:
        assert [(event.kind, event.attempt, event.text) for event in session.events()] == [("note", None, warning)]


def test_a_file_that_only_the_approval_names_is_not_opened(approved: Path) -> None:
    path = approved / "describe.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"files": {', '"files": {"/dev/zero": "0",'), encoding="utf-8"
    )
    approval = read_approval(load_workload(approved))
    assert approval is not None
    assert approval.changed == ("/dev/zero",)
