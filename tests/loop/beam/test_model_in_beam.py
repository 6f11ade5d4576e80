"""A model in a beam: asked once for each focus, every conversation beside its own attempt, caps held within a step."""

import json
from pathlib import Path

import pytest

from loop.beam.wide import kernel, write_wide
from loop.model_session import Script, only_session, optimize, outcomes
from model_server.answer import Answer
from warpwright.proposer.exchange_files import read_exchanges
from warpwright.record.session import Session

BEAM = ("--strategy", "beam", "--tuning-points", "0", "--no-history", "--max-model-calls")


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, on_shared: None) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("WARPWRIGHT_API_KEY", "sk-thekeyofthistest0123456789")
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def reply(rounds: int) -> Answer:
    """A kernel that is the faster the fewer rounds it goes."""
    header = {"technique": f"{rounds} rounds", "hypothesis": "Less is read.", "expects": {}, "kernel": {}}
    return Answer(f"```json\n{json.dumps(header)}\n```\n```cuda\n{kernel(rounds)}```\n")


def verdicts(session: Session, number: int) -> list[str]:
    """What was said of each reply in the directory of an attempt, in a word."""
    return [exchange.verdict.partition(":")[0] for exchange in read_exchanges(session.attempt_directory(number))]


def test_each_focus_is_asked_for_once_and_a_repeat_is_told(tmp_path: Path) -> None:
    workload = write_wide(tmp_path / "tiny").directory
    script = Script([reply(128), reply(64), reply(64)])
    assert optimize(workload, tmp_path / "s", script, *BEAM, "3") == 0
    session = only_session(tmp_path / "s")
    assert outcomes(session) == [
        ("workload", "", "passed"),
        ("model", "128 rounds", "improved"),
        ("model", "64 rounds", "improved"),
    ]
    asked = [request.prompt for request in script.asked]
    treated = [attempt.hypothesis.bottleneck for attempt in session.attempts() if attempt.hypothesis is not None]
    assert len(set(treated)) == 2
    assert all(f"what limits it ({bottleneck})" in prompt for bottleneck, prompt in zip(treated, asked, strict=False))
    assert "openai:prepared, 128 rounds: in hand, no outcome yet" in asked[1]
    assert "in hand" not in asked[0] + asked[2]
    assert [attempt.parent for attempt in session.attempts()] == [0, 1, 1]
    assert [verdicts(session, number) for number in (2, 3, 4)] == [[""], [""], ["duplicate"]]
    summary = session.summary()
    assert summary is not None
    assert summary.stop == "budget: model calls: 3 of 3 used"


def test_what_was_begun_before_a_cap_is_evaluated(tmp_path: Path) -> None:
    script = Script([reply(128)])
    assert optimize(write_wide(tmp_path / "tiny").directory, tmp_path / "s", script, *BEAM, "1") == 0
    session = only_session(tmp_path / "s")
    assert [row[2] for row in outcomes(session)] == ["passed", "improved"]
    assert session.pending() == ()
    assert len(script.asked) == 1
