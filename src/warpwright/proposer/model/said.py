"""What goes to a model again and again while a turn lasts: its own words, cut to length, and how long that all is."""

from collections.abc import Mapping, Sequence
from typing import Any

from warpwright.proposer.conversation import Message, Reply, Role, ToolCall, ToolSpec
from warpwright.proposer.exchange_files import as_text
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line


def shown_again(reply: Reply) -> Message:
    """A reply as the model is reminded of it: long text and long arguments are cut, since every later request has them."""
    calls = tuple(
        ToolCall(call.id, one_line(call.name, limits().title), _cut(call.arguments, limits().reply // len(reply.calls)))
        for call in reply.calls
    )
    return Message(Role.MODEL, clipped(reply.text, limits().reply), calls)


def characters_of(conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> int:
    """Length of a request: texts, arguments of look-ups, and what is said of the look-ups that there are."""
    said = sum(len(message.text) + sum(map(_call_length, message.calls)) for message in conversation)
    return said + sum(len(tool.name) + len(tool.description) + _length(tool.parameters) for tool in tools)


def _cut(arguments: Mapping[str, Any] | str, limit: int) -> Mapping[str, Any] | str:
    """Arguments of at most about `limit` characters: each that is longer than its share is cut, as a text."""
    if _length(arguments) <= limit:
        return arguments
    if isinstance(arguments, str):
        return clipped(arguments, limit)
    share = limit // len(arguments)
    cut = {
        name: value if _length(value) <= share else clipped(as_text(value), share) for name, value in arguments.items()
    }
    return cut if _length(cut) <= 2 * limit else {}


def _call_length(call: ToolCall) -> int:
    return len(call.name) + _length(call.arguments)


def _length(value: Any) -> int:
    return len(as_text(value))
