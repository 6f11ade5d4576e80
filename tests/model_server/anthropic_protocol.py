"""Anthropic's messages: bodies, streams, errors."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answer import Answer, Call

_STOPS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use"}


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    text = [{"type": "text", "text": answer.text}] if answer.text else []
    return {**_head(answer, model), "content": [*text, *map(_block, answer.calls)], "stop_reason": _stop(answer)}


def pieces(answer: Answer, request: Mapping[str, Any]) -> Iterator[str]:
    """The events of a streamed answer."""
    head = {**_head(answer, str(request.get("model"))), "content": [], "stop_reason": None}
    yield _event("message_start", message=head)
    index = 0
    if answer.text:
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": answer.text})
        yield _event("content_block_stop", index=0)
        index = 1
    for position, call in enumerate(answer.calls, index):
        yield _event("content_block_start", index=position, content_block={**_block(call), "input": {}})
        said = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        yield _event("content_block_delta", index=position, delta={"type": "input_json_delta", "partial_json": said})
        yield _event("content_block_stop", index=position)
    end = {"stop_reason": _stop(answer), "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=head["usage"])
    yield _event("message_stop")


def error(answer: Answer) -> dict[str, Any]:
    """The body of a failure."""
    return {"type": "error", "error": {"type": answer.error_code or "api_error", "message": answer.error}}


def _head(answer: Answer, model: str) -> dict[str, Any]:
    sent, received, cached = answer.tokens or (0, 0, 0)
    usage = {
        "input_tokens": sent - cached,
        "output_tokens": received,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_sequence": None,
        "usage": usage,
    }


def _stop(answer: Answer) -> str | None:
    word = "tool_calls" if answer.calls and answer.stop == "stop" else answer.stop
    return None if word is None else _STOPS[word]


def _block(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}


def _event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
