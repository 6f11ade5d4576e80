"""What goes back to a model is cut to length, and a request is reckoned with all that it has."""

from typing import Any

import pytest

from warpwright.proposer.conversation import Message, Reply, Role, ToolCall, ToolSpec
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.said import characters_of, shown_again

LONG = "x" * 300_000


def length(message: Message) -> int:
    return characters_of((message,), ())


def test_a_reply_of_usual_length_goes_back_as_it_was() -> None:
    calls = (ToolCall("c1", "source", {"attempt": 2}), ToolCall("c2", "source", '{"attempt": '))
    assert shown_again(Reply("text", calls)) == Message(Role.MODEL, "text", calls)


def test_a_long_reply_is_cut() -> None:
    message = shown_again(Reply("I think. " * 100_000))
    assert len(message.text) < limits().reply + 100
    assert message.text.endswith("characters left out ...]")


@pytest.mark.parametrize(
    "arguments",
    [
        {"source": LONG},
        {"source": LONG, "why": "short"},
        {"numbers": list(range(100_000))},
        {f"name {n}": LONG for n in range(300)},
        {LONG: 1},
        LONG,
    ],
    ids=["text", "two", "list", "many", "name", "no object"],
)
def test_long_arguments_are_cut(arguments: dict[str, Any] | str) -> None:
    message = shown_again(Reply("", (ToolCall("c", "compile_check", arguments),)))
    assert length(message) < 2 * limits().reply + 200
    if isinstance(arguments, dict) and "why" in arguments:
        kept = message.calls[0].arguments
        assert isinstance(kept, dict)
        assert kept["why"] == "short"


def test_many_calls_share_what_one_may_have() -> None:
    calls = tuple(ToolCall(f"c{n}", "n" * 5000, {"source": LONG}) for n in range(50))
    message = shown_again(Reply("", calls))
    assert length(message) < 3 * limits().reply
    assert [call.id for call in message.calls] == [call.id for call in calls]


@pytest.mark.parametrize("arguments", [{}, "", {"at": 1}], ids=["none", "empty", "one"])
def test_any_number_of_calls_can_be_shown_again(arguments: dict[str, Any] | str) -> None:
    calls = tuple(ToolCall(f"c{n}", "look", arguments) for n in range(30_000))
    assert len(shown_again(Reply("", calls)).calls) == 30_000


def test_arguments_and_look_ups_count() -> None:
    call = ToolCall("c", "look", {"source": "x" * 100})
    asked = (Message(Role.USER, "four"), Message(Role.MODEL, "", (call,)))
    assert characters_of(asked, ()) == 4 + 1 + 4 + len('{"source": ""}') + 100
    assert characters_of((Message(Role.TOOL, "found", call_id="c" * 30),), ()) == 5 + 30
    assert characters_of((), (ToolSpec("look", "Looks.", {"type": "object"}),)) == 4 + 6 + len('{"type": "object"}')
