"""A request that a kill cut off counts, whatever is done with the session next."""

import json
from pathlib import Path

import pytest

from loop.beam.wide import kernel, write_wide
from loop.model.replies import QUIET, killed_when_answered, reply, resume
from loop.model_session import Script, command, essence, only_session, optimize
from warpwright.cli.main import run

CAPPED = ("--iterations", "9", "--max-model-calls", "3", *QUIET)


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write_wide(tmp_path / "wide").directory


def replies() -> Script:
    return Script([reply(rounds) for rounds in (128, 64, 64, 32, 16, 8)])


def test_a_candidate_that_is_entered_before_the_session_goes_on_makes_nobody_forget_it(
    tmp_path: Path, workload: Path
) -> None:
    root, script = tmp_path / "s", replies()
    with killed_when_answered(2):
        optimize(workload, root, script, *CAPPED)
    own = tmp_path / "own.cu"
    own.write_text(kernel(200))
    assert run(["try", "last", str(own), "--sessions", str(root), "--quiet"]) == 0
    assert resume(root, script) == 0
    session = only_session(root)
    assert (len(script.asked), session.spending().calls) == (3, 3)
    assert not list(session.directory.rglob("asking.json"))


def test_a_session_that_stops_before_anything_is_asked_again_counts_it(tmp_path: Path, workload: Path) -> None:
    root, script = tmp_path / "s", replies()
    with killed_when_answered(2):
        optimize(workload, root, script, "--time-limit", "600s", *CAPPED)
    (ledger,) = root.glob("*/ledger.jsonl")
    *lines, last = ledger.read_text(encoding="utf-8").splitlines()
    slow = json.dumps(json.loads(last) | {"seconds": 601.0})
    ledger.write_text("\n".join([*lines, slow]) + "\n", encoding="utf-8")
    assert resume(root, script) == 0
    session = only_session(root)
    summary = session.summary()
    assert summary is not None
    assert "time limit" in summary.stop
    assert (len(script.asked), session.spending().calls) == (2, 2)


def test_a_replay_of_such_a_session_ends_where_it_ended(tmp_path: Path, workload: Path) -> None:
    root, script = tmp_path / "s", replies()
    with killed_when_answered(2):
        optimize(workload, root, script, *CAPPED)
    assert resume(root, script) == 0
    first = only_session(root)
    assert command(workload, tmp_path / "again", "--model", f"replay:{first.directory}", *CAPPED) == 0
    again = only_session(tmp_path / "again")
    assert essence(again) == essence(first)
    summary = again.summary()
    assert summary is not None
    assert summary.stop == f"replay:{first.identifier}: all of its recorded replies (2) are used"
