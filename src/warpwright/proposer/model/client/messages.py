"""Our messages and tools in LangChain's forms."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from warpwright.proposer.conversation import Message, Role, ToolSpec


def to_langchain(messages: Sequence[Message]) -> list[BaseMessage]:
    """The same conversation; a tool call whose arguments were no JSON object goes back as an empty object."""
    return [_message(message) for message in messages]


def to_tool(spec: ToolSpec) -> dict[str, Any]:
    """A look-up as every chat model's `bind_tools` takes it."""
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)},
    }


def _message(message: Message) -> BaseMessage:
    match message.role:
        case Role.SYSTEM:
            return SystemMessage(message.text)
        case Role.USER:
            return HumanMessage(message.text)
        case Role.TOOL:
            return ToolMessage(message.text, tool_call_id=message.call_id or "")
        case Role.MODEL:
            calls = [
                {
                    "id": call.id,
                    "name": call.name,
                    "args": dict(call.arguments) if isinstance(call.arguments, Mapping) else {},
                    "type": "tool_call",
                }
                for call in message.calls
            ]
            return AIMessage(message.text, tool_calls=calls)
