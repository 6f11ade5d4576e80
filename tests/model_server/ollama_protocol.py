"""Ollama's chat: one JSON object a line; whole is a stream of one line."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answer import Answer


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    return {**_line(answer, model, answer.text or ""), **_end(answer)}


def pieces(answer: Answer, request: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a streamed answer."""
    model = str(request.get("model"))
    yield json.dumps({**_line(answer, model, answer.text or ""), "done": False}) + "\n"
    yield json.dumps({"model": model, "message": {"role": "assistant", "content": ""}, **_end(answer)}) + "\n"


def error(answer: Answer) -> dict[str, Any]:
    """The body of a failure."""
    return {"error": answer.error}


def _line(answer: Answer, model: str, text: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if answer.calls:
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.arguments}} for call in answer.calls
        ]
    return {"model": model, "created_at": "2026-01-01T00:00:00Z", "message": message}


def _end(answer: Answer) -> dict[str, Any]:
    end: dict[str, Any] = {"done": True, "done_reason": answer.stop}
    if answer.tokens is not None:
        end |= {"prompt_eval_count": answer.tokens[0], "eval_count": answer.tokens[1]}
    return end
