"""Takes keys out of texts: a server may repeat what it was sent, in an error message or in a reply."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from warpwright.proposer.conversation import Reply, ToolCall

HIDDEN = "[key]"
LEAST_KEY_CHARS = 12
"""A shorter key may well be a word, a number or a name; taken out of a reply, it would change the source in it."""

_IN_QUERY = r"(?:[\w.-]*(?:key|token|secret|password|passwd|signature|auth)|code|sig|pwd)"
_RANDOM = r"(?=[-_A-Za-z0-9*.]*?(?:\*|(?=[A-Za-z0-9]{8})[A-Za-z]*[0-9]|[A-Z0-9]{12}|[A-Za-z0-9]{24}))"
"""Goes on as keys do and names do not: masked, or with a run of 8 that has a digit, of 12 capitals and digits, or of 24."""
_PATTERNS = (
    re.compile(r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=*-]{8,}(?<!\.)"),
    re.compile(rf"\b(?:sk|pk|rk|gsk|xai|tgp|hf|nvapi)[-_]{_RANDOM}[-_A-Za-z0-9*.]{{12,}}(?<!\.)"),
    re.compile(r"\b(?:AIza|ya29)[-_A-Za-z0-9*.]{12,}(?<!\.)"),
    re.compile(r"(?i)(?<=api.key[=:])\s*[^\s&\"',}]{8,}(?<!\.)"),
    re.compile(rf"(?i)(?P<kept>[?&;#]{_IN_QUERY}=)[^\s&;#\"']+(?<!\.)"),
    re.compile(r"(?<=://)[^/\s@]+@"),
)
"""Texts that look like a key: of the known providers, in headers, in addresses. The full stop after one stays."""


def scrub(text: str, keys: Iterable[str] = ()) -> str:
    """A message without `keys` and without anything that looks like one."""
    text = _without(text, keys)
    for pattern in _PATTERNS:
        text = pattern.sub(_hidden, text)
    return text


def scrub_reply(reply: Reply, keys: Iterable[str]) -> Reply:
    """A reply without those of `keys` that can be nothing else, in its text and in what it asks of look-ups.

    All the rest stays as the model wrote it.
    """
    long = [key for key in keys if len(key) >= LEAST_KEY_CHARS]
    if not long:
        return reply
    calls = tuple(
        ToolCall(_without(call.id, long), _without(call.name, long), _scrubbed(call.arguments, long))
        for call in reply.calls
    )
    return replace(reply, text=_without(reply.text, long), calls=calls)


def _without(text: str, keys: Iterable[str]) -> str:
    for key in sorted(filter(None, keys), key=len, reverse=True):
        text = text.replace(key, HIDDEN)
    return text


def _scrubbed(value: Any, keys: Iterable[str]) -> Any:
    """A value of JSON without the keys, wherever they stand in it."""
    if isinstance(value, str):
        return _without(value, keys)
    if isinstance(value, Mapping):
        return {_scrubbed(name, keys): _scrubbed(item, keys) for name, item in value.items()}
    if isinstance(value, list):
        return [_scrubbed(item, keys) for item in value]
    return value


def _hidden(found: re.Match[str]) -> str:
    return (found.groupdict().get("kept") or "") + HIDDEN
