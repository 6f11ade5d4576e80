"""OpenAI's chat completions: bodies, streams, errors."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answer import Answer, Call

PIECE = 400
"""Characters in one piece of a stream."""


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    if answer.calls:
        message["tool_calls"] = [_call(call) for call in answer.calls]
    choice: dict[str, Any] = {"index": 0, "message": message}
    if answer.stop is not None:
        choice["finish_reason"] = _stop(answer)
    body: dict[str, Any] = {**_head("chat.completion", model), "choices": [choice]}
    if answer.tokens is not None:
        body["usage"] = _usage(answer.tokens)
    return body


def pieces(answer: Answer, request: Mapping[str, Any]) -> Iterator[str]:
    """The events of a streamed answer, the end mark included."""
    model = str(request.get("model"))
    for delta in _deltas(answer):
        yield _event({**_head("chat.completion.chunk", model), "choices": [{"index": 0, "delta": delta}]})
    if answer.breaks_with is not None:
        yield _event({"error": {"message": answer.breaks_with, "type": "server_error", "code": None}})
        return
    if answer.stop is not None:
        last = {"index": 0, "delta": {}, "finish_reason": _stop(answer)}
        yield _event({**_head("chat.completion.chunk", model), "choices": [last]})
    if answer.tokens is not None and (request.get("stream_options") or {}).get("include_usage"):
        yield _event({**_head("chat.completion.chunk", model), "choices": [], "usage": _usage(answer.tokens)})
    yield "data: [DONE]\n\n"


def error(answer: Answer) -> dict[str, Any]:
    """The body of a failure."""
    return {"error": {"message": answer.error, "type": "error", "param": None, "code": answer.error_code}}


def _deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if answer.text is None else ""}
    text = answer.text or ""
    for start in range(0, len(text), PIECE):
        yield {"content": text[start : start + PIECE]}
    if answer.refusal is not None:
        yield {"refusal": answer.refusal}
    for index, call in enumerate(answer.calls):
        said = _call(call)
        arguments = said["function"]["arguments"]
        half = len(arguments) // 2
        yield {"tool_calls": [{"index": index, **said, "function": {"name": call.name, "arguments": arguments[:half]}}]}
        yield {"tool_calls": [{"index": index, "function": {"arguments": arguments[half:]}}]}


def _stop(answer: Answer) -> str | None:
    return "tool_calls" if answer.calls and answer.stop == "stop" else answer.stop


def _call(call: Call) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _head(kind: str, model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}


def _usage(tokens: tuple[int, int, int]) -> dict[str, Any]:
    sent, received, cached = tokens
    return {
        "prompt_tokens": sent,
        "completion_tokens": received,
        "total_tokens": sent + received,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _event(body: dict[str, Any]) -> str:
    return f"data: {json.dumps(body)}\n\n"
