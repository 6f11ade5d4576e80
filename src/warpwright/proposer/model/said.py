"""What goes to a model again and again while a turn lasts: its own words, cut to length, and how long that all is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from warpwright.proposer.conversation import Message, Reply, Role, ToolCall, ToolSpec
from warpwright.proposer.exchange_files import as_text, kept_id
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line


def shown_again(reply: Reply) -> Message:
    """A reply as the model is reminded of it: long text and long arguments are cut, since every later request has them."""
    calls = tuple(
        ToolCall(call.id, one_line(call.name, limits().title), _cut(call.arguments, limits().reply // len(reply.calls)))
        for call in reply.calls
    )
    return Message(Role.MODEL, clipped(reply.text, limits().reply), calls)


def answers_to(calls: Sequence[ToolCall], messages: Sequence[Message]) -> tuple[Message, ...]:
    """Recorded messages without answers to calls that are no longer shown; those that are have the id that is shown."""
    shown = {call.id for call in calls}
    renamed = [replace(each, call_id=None if each.call_id is None else kept_id(each.call_id)) for each in messages]
    return tuple(each for each in renamed if each.role is not Role.TOOL or each.call_id in shown)


def characters_of(conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> int:
    """Length of a request: texts, ids and arguments of look-ups, and what is said of the look-ups that there are."""
    said = sum(
        len(message.text) + len(message.call_id or "") + sum(map(_call_length, message.calls))
        for message in conversation
    )
    return said + sum(len(tool.name) + len(tool.description) + _length(tool.parameters) for tool in tools)


def _cut(arguments: Mapping[str, Any] | str, limit: int) -> Mapping[str, Any] | str:
    """Arguments of at most about `limit` characters: each that is longer than its share is cut, as a text."""
    if not arguments or _length(arguments) <= limit:
        return arguments
    if isinstance(arguments, str):
        return clipped(arguments, limit)
    share = limit // len(arguments)
    cut = {
        name: value if _length(value) <= share else clipped(as_text(value), share) for name, value in arguments.items()
    }
    return cut if _length(cut) <= 2 * limit else {}


def _call_length(call: ToolCall) -> int:
    return len(call.id) + len(call.name) + _length(call.arguments)


def _length(value: Any) -> int:
    return len(as_text(value))
