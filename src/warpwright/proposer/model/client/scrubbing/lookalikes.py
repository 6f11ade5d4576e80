"""Finds what looks like a key, whoever's it is: each rule gives the spans of a text that it takes for one.

The words they go by are in lookalikes.toml. They look at messages alone, where a word too many that is hidden does no
harm. What may be long is bounded in each rule, so that time grows with the text.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

from warpwright.proposer.model.client.scrubbing.escapes import Span

_DATA: dict[str, Any] = tomllib.loads(files(__package__).joinpath("lookalikes.toml").read_text(encoding="utf-8"))


def lookalikes(text: str) -> Iterator[Span]:
    """Spans of everything in the text that looks like a key; they may overlap."""
    yield from _provided(text)
    for rule in _RULES:
        for found in rule.finditer(text):
            yield found.span("plain" if found["plain"] else "quoted")


def _any(words: Iterable[str]) -> str:
    """One of the words, the longest first."""
    patterns = (re.escape(word).replace(r"\ ", "[-_. ]?") for word in sorted(words, key=len, reverse=True))
    return f"(?:{'|'.join(patterns)})"


_WORD = re.compile(r"[-_A-Za-z0-9*.]+")
_DASHED = re.compile(rf"\b{_any(_DATA['providers']['dashed'])}[-_]")
_JOINED = re.compile(rf"\b{_any(_DATA['providers']['joined'])}")
_RUN = re.compile(r"[A-Za-z0-9]{8,}")
_LONG = re.compile(r"[A-Za-z0-9]{24}|[A-Z0-9]{12}")
_LEAST_PROVIDED = 12


def _provided(text: str) -> Iterator[Span]:
    """Keys of the known providers."""
    for found in _WORD.finditer(text):
        word = found[0].rstrip(".")
        for beginning, holds in ((_DASHED, _is_random), (_JOINED, bool)):
            key = beginning.search(word)
            if key and len(word) - key.end() >= _LEAST_PROVIDED and holds(word[key.end() :]):
                yield found.start() + key.start(), found.start() + len(word)


def _is_random(text: str) -> bool:
    """Goes on as keys do and names do not: masked, or with a run of 8 that has a digit, of 12 capitals and digits, or of 24."""
    runs = _RUN.findall(text)
    return "*" in text or any(not run.isalpha() or _LONG.search(run) for run in runs)


_IS = r"[\"']?\s{0,8}[:=,]\s{0,8}[\[(]?(?:b(?=[\"']))?"
_QUOTED = r"(?P<quote>[\"'`])(?P<quoted>[^\n]{1,4096}?)(?P=quote)"
_END = r"(?<![.,;:!?)\]}\\])"
_NO_WORD = r"(?=[^\s\"'<>]{0,256}?(?:[0-9*=~+]|[a-z][A-Z]|[A-Z]{8}|[A-Za-z]{24}|[a-z][._/-][a-z]))"
_NAMED = _DATA["named"]
_QUERY = rf"(?:[\w.-]{{0,64}}{_any(_DATA['query']['ends'])}|{_any(_DATA['query']['names'])})"
_SCHEME = rf"(?i:{_any(_DATA['schemes'])}[\s:=+\"'<]{{1,8}}(?:(?:token|key)[\s:=]{{1,8}})?)"

_RULES = tuple(
    re.compile(pattern)
    for pattern in (
        # What has a name that says that it is secret. A header's value may have several words: it goes to the line's end.
        rf"(?i)\b{_any(_NAMED['headers'])}{_IS}(?:{_QUOTED}|(?P<plain>[^\n]{{1,4096}}))",
        rf"(?i){_any(_NAMED['fields'])}{_IS}(?:{_QUOTED}|(?P<plain>[^\s\"'}}&]{{1,4096}}{_END}))",
        rf"(?i)[?&;#]{_QUERY}=(?P<plain>[^\s&;#\"']{{1,4096}}{_END})",
        # `Bearer K`, `basic K` without the header's name: there a plain word may follow.
        rf"\b(?P<plain>{_SCHEME}{{1,3}}{_NO_WORD}[^\s\"'<>]{{6,4096}}{_END})",
        # `user:password@` of an address.
        r"(?<=://)(?P<plain>[^/\s\"'<>]{1,256}@)",
    )
)
