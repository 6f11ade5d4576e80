"""Google's generateContent over REST: bodies, streams (one JSON list), errors."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answer import Answer

_STOPS = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY", "tool_calls": "STOP"}


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    parts: list[dict[str, Any]] = [{"text": answer.text}] if answer.text else []
    parts += [{"functionCall": {"name": call.name, "args": call.arguments}} for call in answer.calls]
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}}
    if answer.stop is not None:
        candidate["finishReason"] = _STOPS[answer.stop]
    body: dict[str, Any] = {"candidates": [candidate], "modelVersion": model}
    if answer.tokens is not None:
        sent, received, cached = answer.tokens
        body["usageMetadata"] = {
            "promptTokenCount": sent,
            "candidatesTokenCount": received,
            "cachedContentTokenCount": cached,
            "totalTokenCount": sent + received,
        }
    return body


def pieces(answer: Answer, request: Mapping[str, Any]) -> Iterator[str]:
    """A streamed answer: a list of bodies, here of one."""
    yield json.dumps([whole(answer, str(request.get("model")))])


def error(answer: Answer) -> dict[str, Any]:
    """The body of a failure."""
    return {"error": {"code": answer.status, "message": answer.error, "status": answer.error_code or "UNKNOWN"}}
