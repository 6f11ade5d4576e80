"""No arguments of a look-up end a session or make its record unreadable."""

from pathlib import Path

import pytest

from loop.beam.wide import kernel, write_wide
from loop.model.replies import QUIET, killed_before_attempt, reply, resume
from loop.model_session import Script, exchanges, only_session, optimize, outcomes
from model_server.answer import Answer, Call
from warpwright.proposer.conversation import Reply


def nested(depth: int) -> str:
    return '{"attempt": 1, "kernel": ' + '{"a":' * depth + "1" + "}" * depth + "}"


@pytest.mark.parametrize(
    "arguments",
    ['{"attempt": ' + "9" * 5000 + "}", nested(220), nested(300), nested(5000)],
    ids=["long number", "nested 220", "nested 300", "nested 5000"],
)
def test_a_session_goes_on_after_them_and_can_be_resumed(tmp_path: Path, arguments: str) -> None:
    asks = Answer("", (Call("source", arguments),), stop="tool_calls")
    script, later = Script([asks, reply(128), reply(64)]), Script([reply(32)])
    workload = write_wide(tmp_path / "wide").directory
    with killed_before_attempt(3):
        optimize(workload, tmp_path / "s", script, "--iterations", "3", *QUIET)
    assert resume(tmp_path / "s", later) == 0
    session = only_session(tmp_path / "s")
    assert [row[1] for row in outcomes(session)] == ["", "128 rounds", "64 rounds"]
    assert later.asked == []
    first = next(exchanges(session)).outcome
    assert isinstance(first, Reply)
    assert first.calls[0].arguments == arguments
    assert "the arguments are no JSON object" in script.asked[1].prompt


def test_a_server_without_a_key_may_say_none(tmp_path: Path) -> None:
    source = kernel(128).replace("{", "{ const int none = 0; (void)none;", 1)
    text = reply(128).text or ""
    script = Script([Answer(text.replace(kernel(128), source))])
    assert optimize(write_wide(tmp_path / "w").directory, tmp_path / "s", script, "--iterations", "2", *QUIET) == 0
    session = only_session(tmp_path / "s")
    assert session.attempt(2).candidate.source.strip() == source.strip()
    assert session.attempt(2).evaluation.outcome.correct
