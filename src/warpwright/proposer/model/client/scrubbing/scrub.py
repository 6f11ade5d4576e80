"""Takes keys out of texts: a server may repeat what it was sent, in an error message or in a reply."""

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from warpwright.proposer.conversation import Reply, ToolCall
from warpwright.proposer.model.client.scrubbing.escapes import Span, unescaped
from warpwright.proposer.model.client.scrubbing.lookalikes import lookalikes

HIDDEN = "[key]"
LEAST_KEY_CHARS = 12
"""A shorter key may well be a word, a number or a name; taken out of a reply, it would change the source in it."""
TELLING_CHARS = 8
"""So many characters of a key, one after another, are hidden in messages: a server may cut what it repeats."""

type _Pieces = Mapping[int, frozenset[str]]
"""What is looked for, by its length."""


def scrub(text: str, keys: Iterable[str] = ()) -> str:
    """A message without `keys`, parts of them, and anything that looks like a key."""
    pieces = _pieces(part for key in keys for part in _parts(key))
    return _hidden(text, lambda view: (*_found(view, pieces), *lookalikes(view)))


def scrub_reply(reply: Reply, keys: Iterable[str]) -> Reply:
    """A reply without those of `keys` that can be nothing else, in its text and in what it asks of look-ups.

    All the rest stays as the model wrote it.
    """
    pieces = _pieces(form for key in keys for form in _forms(key) if len(form) >= LEAST_KEY_CHARS <= len(key))
    if not pieces:
        return reply

    def without(text: str) -> str:
        return _hidden(text, lambda view: _found(view, pieces))

    calls = tuple(
        ToolCall(without(call.id), without(call.name), _scrubbed(call.arguments, without)) for call in reply.calls
    )
    return replace(reply, text=without(reply.text), calls=calls)


def _scrubbed(value: Any, without: Callable[[str], str]) -> Any:
    """A value of JSON without the keys, wherever they stand in it."""
    if isinstance(value, str):
        return without(value)
    if isinstance(value, Mapping):
        return {_scrubbed(name, without): _scrubbed(item, without) for name, item in value.items()}
    if isinstance(value, list):
        return [_scrubbed(item, without) for item in value]
    return value


def _hidden(text: str, spans: Callable[[str], Iterable[Span]]) -> str:
    """The text without the spans that are found in it, as it stands or with its escapes undone."""
    plain = unescaped(text)
    found = [*spans(text)]
    if plain.text != text:
        found += map(plain.original, spans(plain.text))
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(found):
        if start < stop and (start > end or not pieces):
            pieces += [text[end:start], HIDDEN]
        end = max(end, stop) if pieces else end
    return "".join((*pieces, text[end:]))


def _found(text: str, pieces: _Pieces) -> Iterator[Span]:
    for length, wanted in pieces.items():
        for start in range(len(text) - length + 1):
            if text[start : start + length] in wanted:
                yield start, start + length


def _pieces(texts: Iterable[str]) -> _Pieces:
    return {length: frozenset(same) for length, same in groupby(sorted(set(texts), key=len), key=len) if length}


def _parts(key: str) -> Iterator[str]:
    """What of a key is looked for in messages: each run of it, or the whole of a short one."""
    yield key if len(key) < TELLING_CHARS else ""
    for form in _forms(key):
        yield from (form[at : at + TELLING_CHARS] for at in range(len(form) - TELLING_CHARS + 1))


def _forms(key: str) -> Iterator[str]:
    """A key as it may stand in a text: itself, on one line, without its escapes, in base64 behind any user."""
    yield from (key, " ".join(key.split()), unescaped(key).text)
    content = key.encode("utf-8", "replace")
    for before in range(3):
        digits = base64.b64encode(bytes(before) + content).decode()
        first, last = -(-before * 8 // 6), (before + len(content)) * 8 // 6
        yield digits[first:last]
        yield digits[first:last].replace("+", "-").replace("/", "_")
