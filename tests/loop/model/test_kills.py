"""Kills between what was heard and what was made of it: nothing is asked twice, whatever a server can or cannot do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loop.beam.wide import write_wide
from loop.model.replies import QUIET, killed_before_attempt, reply, resume
from loop.model_session import PREFLIGHT, Script, only_session, optimize, outcomes
from model_server.answer import Answer
from model_server.server import Request
from warpwright.proposer.exchange_files import read_exchanges
from warpwright.proposer.strategist import Strategist

BEAM = ("--strategy", "beam", "--bottlenecks", "3", "--beam", "2", "--iterations", "4", *QUIET)
PROSE = Answer("prose")


def test_a_lost_conversation_before_a_heard_one_is_not_paid_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Strategist, "propose", lambda *_: None)  # it has nothing of its own against these findings
    script = Script([reply(128), PROSE, PROSE, PROSE, reply(64), PROSE, PROSE, PROSE, reply(32), reply(16)])
    root = tmp_path / "s"
    with killed_before_attempt(4):
        optimize(write_wide(tmp_path / "wide").directory, root, script, *BEAM)
    heard, (directory,) = len(script.asked), root.iterdir()
    purposes = [exchange.purpose.value for exchange in read_exchanges(directory / "attempts" / "0004")]
    assert purposes == ["propose", "re-ask", "re-ask", "propose"]
    assert resume(root, script) == 0
    assert [row[1] for row in outcomes(only_session(root))] == ["", "128 rounds", "64 rounds", "32 rounds"]
    assert len(script.asked) == heard


@dataclass
class NoTools:
    """A server that refuses look-ups, and streams if `streams`."""

    answers: Sequence[Answer]
    streams: bool = True
    asked: list[Request] = field(default_factory=list)
    refused: int = 0

    def __call__(self, request: Request) -> Answer:
        if request.body.get("tools"):
            self.refused += 1
            return Answer(status=400, error="this model does not support tools")
        if request.body.get("stream") and not self.streams:
            self.refused += 1
            return Answer(status=400, error="stream is not supported")
        if PREFLIGHT in request.prompt:
            return Answer("ready")
        self.asked.append(request)
        return self.answers[len(self.asked) - 1]


@pytest.mark.parametrize("streams", [True, False])
def test_what_a_server_cannot_do_is_found_out_once_for_the_whole_session(tmp_path: Path, streams: bool) -> None:
    script = NoTools([reply(128), reply(64)], streams)
    root = tmp_path / "s"
    with killed_before_attempt(3):
        optimize(write_wide(tmp_path / "wide").directory, root, script, "--iterations", "3", *QUIET)  # type: ignore[arg-type]
    refused = script.refused
    assert refused == (1 if streams else 2)
    assert len(script.asked) == 2
    assert not any("## Look-ups" in request.prompt for request in script.asked)
    assert resume(root, script) == 0
    session = only_session(root)
    assert [row[1] for row in outcomes(session)] == ["", "128 rounds", "64 rounds"]
    assert (len(script.asked), script.refused) == (2, refused)
    assert session.spending().calls == 2


def test_a_session_whose_model_is_gone_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "s"
    with killed_before_attempt(2):
        optimize(write_wide(tmp_path / "wide").directory, root, Script([reply(128)]), *QUIET)
    before = {path: path.read_bytes() for path in root.rglob("*.jsonl")}
    assert resume(root, lambda _: Answer(status=401, error="no such key")) == 4
    assert "(authentication). The session stays as it is." in capsys.readouterr().err
    assert {path: path.read_bytes() for path in root.rglob("*.jsonl")} == before
