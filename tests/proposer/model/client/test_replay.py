from dataclasses import replace
from pathlib import Path

import pytest

from proposer.model.client.asking import QUESTION
from warpwright.errors import RecordError
from warpwright.proposer.conversation import Exchange, FaultKind, ModelFault, Purpose, Reply, ToolCall, Usage
from warpwright.proposer.exchange_files import write_exchange
from warpwright.proposer.model.client.found import Found, write_found
from warpwright.proposer.model.client.opening import open_model
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.client.preflight import preflight

FIRST = Reply("first", usage=Usage(10, 5))
SECOND = Reply("", (ToolCall("c", "look_up", {"at": 1}),))
THIRD = ModelFault(FaultKind.SERVER, "openai:m: boom", 3, 1.0)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    for attempt, position, outcome in (("0002", 1, FIRST), ("0010", 1, SECOND), ("0010", 2, THIRD)):
        write_exchange(
            tmp_path / "attempts" / attempt, position, Exchange(Purpose.PROPOSE, "openai:m", QUESTION, outcome)
        )
    (tmp_path / "attempts" / "0001").mkdir()
    return tmp_path


def test_outcomes_come_again_in_their_order_then_a_fault_says_that_there_are_no_more(session: Path) -> None:
    client = open_model(f"replay:{session}")
    assert client.name == f"replay:{session.name}"
    assert [client.ask(QUESTION) for _ in range(3)] == [FIRST, SECOND, replace(THIRD, seconds=0.0)]  # nobody waited
    end = client.ask(QUESTION)
    assert isinstance(end, ModelFault)
    assert end.kind is FaultKind.USED_UP
    assert end.message.endswith(": all of its recorded replies (3) are used")


def test_a_session_that_goes_on_leaves_out_what_it_has_had(session: Path) -> None:
    assert open_model(f"replay:{session}", ModelOptions(replayed=1)).ask(QUESTION) == SECOND


def test_tools_are_offered_as_they_were_or_if_they_were_used(session: Path) -> None:
    assert open_model(f"replay:{session}").takes_tools
    write_found(session, Found(takes_tools=False, streams=True))
    assert not open_model(f"replay:{session}").takes_tools


def test_a_session_without_exchanges_is_refused(tmp_path: Path) -> None:
    (tmp_path / "attempts" / "0001").mkdir(parents=True)
    with pytest.raises(RecordError, match="nothing to replay"):
        open_model(f"replay:{tmp_path}")


def test_a_preflight_takes_no_recorded_reply(session: Path) -> None:
    client = open_model(f"replay:{session}")
    assert preflight(client) is None
    assert client.ask(QUESTION) == FIRST
