"""Takes keys out of texts: a server may repeat what it was sent, in an error message or in a reply."""

import base64
import re
from collections.abc import Callable, Iterable, Mapping
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
    re.compile(rf"\b(?:sk|pk|rk|gsk|xai|tgp|hf|nvapi)[-_]{_RANDOM}[-_A-Za-z0-9*.]{{12,}}(?<!\.)"),
    re.compile(r"\b(?:AIza|ya29)[-_A-Za-z0-9*.]{12,}(?<!\.)"),
    re.compile(r"(?i)(?<=api.key[=:])\s*[^\s&\"',}]{8,}(?<!\.)"),
    re.compile(rf"(?i)(?P<kept>[?&;#]{_IN_QUERY}=)[^\s&;#\"']+(?<!\.)"),
    re.compile(r"(?<=://)(?:[^/\s:@]+:(?!\d{1,5}(?:/|\b))\S*|[^/\s]+)@"),
    re.compile(r"(?<![\w:/.%+-])[\w.%+-]+:[^\s/]+@(?=[\w\[])"),
)
"""Texts that look like a key: of the known providers, or in addresses, also without a scheme. The full stop after one stays."""

_CREDENTIAL = re.compile(r"(?i:\b(?P<scheme>bearer|basic)\s+)(?P<token>[A-Za-z0-9._~+/=*-]+)(?<!\.)")
_LONG = re.compile(r"[A-Za-z0-9]{24}|[A-Z0-9]{12}")
_TOKEN = re.compile(r"(?=.*[0-9*]|.*[a-z][A-Z]).{8,}|(?=.*[._~+/=-]).{12,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+")
_CASES = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/]{16,}={0,2}")


def scrub(text: str, keys: Iterable[str] = ()) -> str:
    """A message without `keys` and without anything that looks like one."""
    text = _CREDENTIAL.sub(_credential, _without(text, keys))
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


def _credential(found: re.Match[str]) -> str:
    """A header's scheme with what follows: hidden if that is a credential, left if it is a word of a sentence."""
    holds = _HOLDS[found["scheme"].lower()]
    return HIDDEN if holds(found["token"]) or _LONG.search(found["token"]) else found[0]


def _holds_token(token: str) -> bool:
    """Whether this is no word: of 8 with a digit or a capital within, or of 12 with a sign."""
    return _TOKEN.fullmatch(token) is not None


def _holds_password(token: str) -> bool:
    """Whether this is `user:password` in base64; also cut short or masked, where no colon is left to tell."""
    return "*" in token or b":" in _decoded(token) or _CASES.fullmatch(token) is not None


_HOLDS: Mapping[str, Callable[[str], bool]] = {"bearer": _holds_token, "basic": _holds_password}


def _decoded(token: str) -> bytes:
    """The bytes of as much of it as is base64."""
    run = _BASE64.match(token)
    digits = "" if run is None else run[0][: len(run[0]) - (len(run[0]) % 4 == 1)]
    return base64.urlsafe_b64decode(digits.replace("+", "-").replace("/", "_") + "=" * (-len(digits) % 4))


def _hidden(found: re.Match[str]) -> str:
    return (found.groupdict().get("kept") or "") + HIDDEN
