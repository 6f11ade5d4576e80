"""Exchanges on disk are read back as what they were, lone surrogates and missing usage included."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from warpwright.errors import RecordError
from warpwright.proposer.conversation import (
    Exchange,
    FaultKind,
    Message,
    ModelFault,
    Purpose,
    Reply,
    Role,
    Stop,
    ToolCall,
    ToolUse,
    Usage,
)
from warpwright.proposer.exchange_files import (
    DEEPEST_ARGUMENTS,
    NOT_KEPT,
    read_exchanges,
    read_tool_uses,
    write_exchange,
    write_tool_use,
)

ASKED = Message(Role.USER, "why is it slow? \u00e9\u4e2d")
REPLY = Reply(
    "because",
    (ToolCall("1", "source", {"attempt": 2}), ToolCall("2", "x", "{no json")),
    Stop.TOOL_CALLS,
    Usage(5, None),
)
EXCHANGE = Exchange(Purpose.PROPOSE, "openai:m", (ASKED,), REPLY, money_usd=None)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    fault = ModelFault(FaultKind.TIMEOUT, "no answer in 5 s", 3, 15.0)
    kept = [EXCHANGE, replace(EXCHANGE, purpose=Purpose.RE_ASK, outcome=fault, verdict="", money_usd=0.25)]
    for position, exchange in enumerate(kept, start=1):
        write_exchange(tmp_path, position, exchange)
    uses = [ToolUse("source", {"attempt": 2}, "text", 0.5), ToolUse("x", "{no json", "not JSON", 0.0)]
    for position, use in enumerate(uses, start=1):
        write_tool_use(tmp_path, position, use)
    assert list(read_exchanges(tmp_path)) == kept
    assert list(read_tool_uses(tmp_path)) == uses


def test_order_holds_beyond_ninety_nine(tmp_path: Path) -> None:
    for position in (100, 99, 2):
        write_exchange(tmp_path, position, replace(EXCHANGE, verdict=str(position)))
    assert [exchange.verdict for exchange in read_exchanges(tmp_path)] == ["2", "99", "100"]


def test_nothing_there_is_nothing_read(tmp_path: Path) -> None:
    assert read_exchanges(tmp_path / "0007") == ()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    write_exchange(tmp_path, 1, EXCHANGE)
    path = tmp_path / "proposal" / "exchange-01.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"propose"', '"sing"'), encoding="utf-8")
    with pytest.raises(RecordError, match=r"exchange-01\.json: damaged at purpose"):
        read_exchanges(tmp_path)


def test_text_that_utf8_cannot_hold_does_not_lose_the_reply(tmp_path: Path) -> None:
    write_exchange(tmp_path, 1, replace(EXCHANGE, outcome=replace(REPLY, text="a\ud800b")))
    (read,) = read_exchanges(tmp_path)
    assert isinstance(read.outcome, Reply)
    assert read.outcome.text == "a?b"


def nested(depth: int) -> dict[str, Any]:
    inner: Any = 1
    for _ in range(depth):
        inner = {"a": inner}
    return {"attempt": inner}


@pytest.mark.parametrize("depth", [20, 100, 220, 300, 5000])
@pytest.mark.parametrize("kind", ["object", "list"])
def test_arguments_of_any_depth_are_written_and_read_back(tmp_path: Path, depth: int, kind: str) -> None:
    arguments = (
        nested(depth) if kind == "object" else {"attempt": json.loads("[" * min(depth, 900) + "]" * min(depth, 900))}
    )
    reply = replace(REPLY, calls=(ToolCall("1", "source", arguments), ToolCall("2", "source", {"attempt": 2})))
    write_exchange(tmp_path, 1, replace(EXCHANGE, outcome=reply))
    (read,) = read_exchanges(tmp_path)
    assert isinstance(read.outcome, Reply)
    first, second = read.outcome.calls
    assert isinstance(first.arguments, str) is (depth > DEEPEST_ARGUMENTS)
    assert second.arguments == {"attempt": 2}
    write_tool_use(tmp_path, 1, ToolUse("source", arguments, "answer", 0.0))
    assert read_tool_uses(tmp_path)[0].arguments == first.arguments


def test_a_number_that_no_reader_takes_is_kept_as_a_text(tmp_path: Path) -> None:
    reply = replace(REPLY, calls=(ToolCall("1", "source", {"attempt": 10**5000}),))
    write_exchange(tmp_path, 1, replace(EXCHANGE, outcome=reply))
    (read,) = read_exchanges(tmp_path)
    assert isinstance(read.outcome, Reply)
    assert read.outcome.calls[0].arguments == NOT_KEPT
    assert read.outcome.text == REPLY.text
