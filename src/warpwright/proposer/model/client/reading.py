"""What a chat model of LangChain answered, as a `Reply`."""

import json
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk

from warpwright.proposer.conversation import Reply, Stop, ToolCall, Usage
from warpwright.proposer.exchange_files import keepable, with_kept_calls

_STOPS = {
    "stop": Stop.END, "end_turn": Stop.END, "stop_sequence": Stop.END, "completed": Stop.END, "eos": Stop.END,
    "tool_calls": Stop.TOOL_CALLS, "tool_use": Stop.TOOL_CALLS, "function_call": Stop.TOOL_CALLS,
    "length": Stop.LENGTH, "max_tokens": Stop.LENGTH, "max_output_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH, "model_length": Stop.LENGTH, "incomplete": Stop.LENGTH,
    "content_filter": Stop.REFUSED, "refusal": Stop.REFUSED, "safety": Stop.REFUSED, "recitation": Stop.REFUSED,
    "prohibited_content": Stop.REFUSED, "blocklist": Stop.REFUSED, "spii": Stop.REFUSED, "language": Stop.REFUSED,
}  # fmt: skip
"""Words of the providers for why a reply ended, in lower case."""

_STOP_KEYS = ("finish_reason", "stop_reason", "done_reason")


def read_reply(message: AIMessage, seconds: float) -> Reply:
    """The reply in `message`; what it does not say is unknown."""
    calls = _calls(message)
    refusal = message.additional_kwargs.get("refusal")
    text = str(message.text)
    if not text and isinstance(refusal, str):
        text = refusal
    stop = Stop.REFUSED if isinstance(refusal, str) and refusal else _stop(message.response_metadata, bool(calls))
    return with_kept_calls(Reply(text, calls, stop, _usage(message.usage_metadata), seconds))


def tells_end(message: AIMessage) -> bool:
    """Whether the message says why it ended; one that was cut off does not."""
    return any(message.response_metadata.get(key) for key in (*_STOP_KEYS, "status"))


def _calls(message: AIMessage) -> tuple[ToolCall, ...]:
    """In order. LangChain mends broken JSON of a stream by dropping what is missing; here it stays a text."""
    if isinstance(message, AIMessageChunk) and message.tool_call_chunks:
        return tuple(
            ToolCall(piece["id"] or f"call-{at}", piece["name"] or "", _arguments(piece["args"]))
            for at, piece in enumerate(message.tool_call_chunks)
        )
    good = [
        ToolCall(call["id"] or f"call-{at}", call["name"], keepable(call["args"]))
        for at, call in enumerate(message.tool_calls)
    ]
    bad = [
        ToolCall(call["id"] or f"bad-call-{at}", call["name"] or "", call["args"] or "")
        for at, call in enumerate(message.invalid_tool_calls)
    ]
    return (*good, *bad)


def _arguments(text: str | None) -> Mapping[str, Any] | str:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, a number of more digits than Python reads, or nested too deep
        return text
    return text if not isinstance(value, dict) or keepable(value) is not value else value


def _stop(metadata: Mapping[str, Any], has_calls: bool) -> Stop:
    words = [metadata.get(key) for key in _STOP_KEYS]
    details = metadata.get("incomplete_details")
    if isinstance(details, Mapping):
        words.append(details.get("reason"))
    words.append(metadata.get("status"))
    stops = [_STOPS[word.lower()] for word in words if isinstance(word, str) and word.lower() in _STOPS]
    first = stops[0] if stops else Stop.UNKNOWN
    # Ollama and some servers end a message of tool calls with "stop".
    return Stop.TOOL_CALLS if has_calls and first in (Stop.END, Stop.UNKNOWN) else first


def _usage(usage: Mapping[str, Any] | None) -> Usage:
    if not usage:
        return Usage()
    details = usage.get("input_token_details") or {}
    cached = details.get("cache_read") if isinstance(details, Mapping) else None
    tokens_in, tokens_out = usage.get("input_tokens"), usage.get("output_tokens")
    if not tokens_in and not tokens_out:
        return Usage()  # no request takes nothing: the server did not count
    return Usage(_count(tokens_in) or None, _count(tokens_out), _count(cached))


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value >= 0 else None
