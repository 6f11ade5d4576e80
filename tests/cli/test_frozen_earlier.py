"""A session begun before characters that nobody sees were refused is still a session; a workload with them is not let in."""

import json
from pathlib import Path

import pytest

from loop.tiny import KERNEL, write_tiny
from warpwright.cli.main import run
from warpwright.loop.state import GRAPH_VERSION
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.record.session_file import SESSION
from warpwright.workload.loader import load_workload

FORM_FEED = f"// part one\n\f\n{KERNEL}"
HIDDEN = {
    "kernel.cu": FORM_FEED,
    "reference.py": "# a\u200db\ndef reference(x, a):\n    return {'y': a * x}\n",
    "workload.toml": "# a\u200db\n",
}


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WARPWRIGHT_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def begun_earlier(tmp_path: Path, name: str) -> Path:
    """A session directory whose frozen workload has such a character in that file."""
    options = SessionOptions("tiny", "tuner", iterations=1, device="emulator:h200", tuning_budget=1)
    workload = load_workload(write_tiny(tmp_path / "tiny"))
    with Session.create(tmp_path / "sessions", workload, options, {}, "emulator", GRAPH_VERSION) as session:
        directory = session.directory
    path = directory / "workload" / name
    text = HIDDEN[name] + (path.read_text(encoding="utf-8") if name == "workload.toml" else "")
    path.write_text(text, encoding="utf-8")
    head = json.loads((directory / SESSION).read_text(encoding="utf-8"))
    head["workload_hash"] = load_workload(path.parent, frozen=True).content_hash
    (directory / SESSION).write_text(json.dumps(head), encoding="utf-8")
    return directory


@pytest.mark.parametrize("name", HIDDEN)
def test_a_session_begun_earlier_is_shown_and_goes_on(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = begun_earlier(tmp_path, name)
    assert run(["show", str(directory)]) == 0
    assert run(["resume", str(directory), "--quiet"]) == 0
    assert run(["show", str(directory), "--json"]) == 0
    assert "not allowed" not in capsys.readouterr().err
    with Session.open(directory, lock=False) as session:
        assert session.ended
        assert session.best() > 0
        assert ("\f" in session.attempt(1).candidate.source) == (name == "kernel.cu")


@pytest.mark.parametrize("command", ["check", "optimize", "evaluate"])
def test_a_workload_with_a_form_feed_is_not_let_in(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = write_tiny(tmp_path / "tiny", FORM_FEED)
    assert run([command, str(workload), "--device", "emulator"]) == 2
    assert f"{workload / 'kernel.cu'}:2: a control character (U+000C) is not allowed; take it out" in " ".join(
        capsys.readouterr().err.split()
    )
    assert not (tmp_path / "sessions").exists()
