"""Finds what looks like a key, whoever's it is: each rule gives the spans of a text that it takes for one.

The words they go by are in lookalikes.toml. No rule looks at a character more than a few times, however long the text.
"""

import base64
import codecs
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from typing import Any

from warpwright.proposer.model.client.scrubbing.escapes import Span

_DATA: dict[str, Any] = tomllib.loads(files(__package__).joinpath("lookalikes.toml").read_text(encoding="utf-8"))


def lookalikes(text: str) -> Iterator[Span]:
    """Spans of everything in the text that looks like a key; they may overlap."""
    for rule in _RULES:
        yield from rule(text)


def _any(words: Iterable[str]) -> str:
    """One of the words, the longest first."""
    patterns = (re.escape(word).replace(r"\ ", "[-_. ]?") for word in sorted(words, key=len, reverse=True))
    return f"(?:{'|'.join(patterns)})"


# Keys of the known providers.
_WORD = re.compile(r"[-_A-Za-z0-9*.]+")
_DASHED = re.compile(rf"\b{_any(_DATA['providers']['dashed'])}[-_]")
_JOINED = re.compile(rf"\b{_any(_DATA['providers']['joined'])}")
_RUN = re.compile(r"[A-Za-z0-9]{8,}")
_LONG = re.compile(r"[A-Za-z0-9]{24}|[A-Z0-9]{12}")
_LEAST_PROVIDED = 12


def _provided(text: str) -> Iterator[Span]:
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


# What has a name that says that it is secret.
_IS = r"(?:[\"']?\s*[:=][=>\s]*|[\"'],\s*(?=b))(?:[\[(]?b?(?=[\"']))?"
_QUOTED = r"(?P<quote>[\"'`])(?P<quoted>[^\n]{0,4096}?)(?P=quote)"
_GAP = r"[\s:=+\"'<]+"
_SCHEMES = rf"(?:{_any((*_DATA['schemes']['told'], *_DATA['schemes']['others']))}{_GAP})+"
_PART = r"[^\s\"'}]+(?:(?<==)\"[^\"\n]{0,4096}\")?(?<![.,;])"
_MORE = r"(?:[,;]\s*[-\w]+=(?:\"[^\"\n]{0,4096}\"|[^\s,;\"']+))*"
_HEADER = re.compile(
    rf"(?i){_any(_DATA['named']['headers'])}{_IS}"
    rf"(?:{_QUOTED}|(?P<plain>(?:{_SCHEMES}|[a-z][-\w]{{0,30}}\s+)?{_PART}{_MORE}))"
)
_FIELD = re.compile(rf"(?i)(?:{_any(_DATA['named']['fields'])}{_IS})+(?:{_QUOTED}|(?P<plain>[^\s\"'}}&]+(?<![.,;])))")
_QUERY = re.compile(
    rf"(?i)[?&;#](?:[\w.-]*{_any(_DATA['query']['ends'])}|{_any(_DATA['query']['names'])})=(?P<plain>[^\s&;#\"']+(?<!\.))"
)


def _named(text: str) -> Iterator[Span]:
    for pattern in (_HEADER, _FIELD):
        for found in pattern.finditer(text):
            yield found.span("plain" if found["plain"] else "quoted")


def _queried(text: str) -> Iterator[Span]:
    for found in _QUERY.finditer(text):
        yield found.span("plain")


# `Bearer TOKEN` and `Basic CREDENTIAL` without the header's name: there they may also be words of a sentence.
_CREDENTIAL = re.compile(
    rf"(?i)\b(?P<scheme>{_any(_DATA['schemes']['told'])}){_GAP}(?:(?:token|key){_GAP})?"
    r"(?P<token>[^\s\"'<>]+(?<![.,;:!?)\]}\\]))"
)
_LAST_SCHEME = re.compile(rf"(?i)\b{_any(_DATA['schemes']['told'])}$")
_LONGEST_SCHEME = 1 + max(map(len, _DATA["schemes"]["told"]))
_PROSE = frozenset(_DATA["prose"]["words"])
_LEAST_TOKEN = 8
_TELLING = re.compile(r"[0-9*]|[a-z][A-Z]|[A-Z]{8}")
_SIGN = re.compile(r"[\W_]")
_TOKEN68 = re.compile(r"[A-Za-z0-9._~+/=*-]+(?<!\.)")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+")
_ONE_WORD = re.compile(r"[A-Z]?[a-z]+")
_CASES = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/]{16,}={0,2}")


def _sent(text: str) -> Iterator[Span]:
    found = _CREDENTIAL.search(text)
    while found:
        holds = _holds_token if found["scheme"].lower() == "bearer" else _holds_password
        if holds(found["token"]) or _LONG.search(found["token"]):
            yield found.span()
        last = _LAST_SCHEME.search(found["token"][-_LONGEST_SCHEME:])  # `Bearer Bearer TOKEN`
        found = _CREDENTIAL.search(text, found.end() - (len(last[0]) if last else 0))


def _holds_token(token: str) -> bool:
    """Whether this is no word of a sentence, nor several that signs join."""
    if len(token) < _LEAST_TOKEN:
        return False
    words = _SIGN.split(token.lower())
    return bool(_TELLING.search(token)) or (len(words) > 1 and not _PROSE.issuperset(words))


def _holds_password(token: str) -> bool:
    """Whether this is `user:password` in base64; also cut short or masked, where no colon is left to tell."""
    run = _TOKEN68.match(token)
    token = run[0] if run else ""
    decoded = _decoded(token)
    chance = _ONE_WORD.fullmatch(token) and not _is_utf8(decoded)  # `Output` and `Operator` give a colon, too
    return "*" in token or (b":" in decoded and not chance) or _CASES.fullmatch(token) is not None


def _is_utf8(content: bytes) -> bool:
    """Whether this is a text, or the beginning of one."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(token: str) -> bytes:
    """The bytes of as much of it as is base64."""
    run = _BASE64.match(token)
    digits = "" if run is None else run[0][: len(run[0]) - (len(run[0]) % 4 == 1)]
    return base64.urlsafe_b64decode(digits.replace("+", "-").replace("/", "_") + "=" * (-len(digits) % 4))


# `user:password@host`. Code has `file.cu:12:foo@bar`, `mul.lo:s32@p` and `std::vector<int>@x`; JSON `"a:b","c@d"`.
_NO_USERS = frozenset(_DATA["prose"]["before_addresses"])
_UNBROKEN = re.compile(r"\S+")
_AFTER_SCHEME = re.compile(r"(?<=://)(?:(?!://)\S)+")
_IN_QUOTES = re.compile(r"(?<=://)(?:(?!://)[^\s\"'`<>])+")
_UNJOINED = re.compile(r"(?:(?![\"'][,:]|,[\"'])\S)+")
_USER = re.compile(r"(?<![\w:/.%+-])(?P<user>[\w.%+-]+):(?!@|//)|^[('\[{]*(?P<nobody>):(?![@\"'])")
_CODE = re.compile(r"[0-9]*:")
_ANY_HOST = re.compile(r"@(?=[\[\w])")
_HOST = re.compile(r"@(?=\[|\w[\w-])")
_SURE_HOST = re.compile(r"@(?=\[|[\w-]+(?:\.[\w-]+)*(?::[0-9]|/)|[\w-]+(?:\.[\w-]+)+|localhost\b)")
_IPV6 = re.compile(r"^\[[0-9A-Fa-f:.]*\]")
_PORT = re.compile(r"[0-9]{1,5}(?:[/,;\"'`<>]|$)")
_QUOTE = re.compile(r"[\"'`<>]")


def users(text: str) -> Iterator[Span]:
    """`user:password@` of every address, also without a scheme."""
    for words, spans in _USERS:
        for word in words.finditer(text):
            begin, end = spans(word[0]) if "@" in word[0] else (0, 0)
            if _is_user(word[0][begin : max(begin, end - 1)]):
                yield word.start() + begin, word.start() + end


def _long_user(word: str) -> Span:
    """From the first scheme to the last `@`: a password may hold anything."""
    end = word.rindex("@") + 1
    scheme = word.find("://", 0, end)
    return (0, 0) if scheme < 0 else (scheme + len("://"), end)


def _short_user(word: str) -> Span:
    """What follows a scheme to the last `@` before a path."""
    return 0, word.partition("/")[0].rfind("@") + 1


def _quoted_user(word: str) -> Span:
    """What follows a scheme to the last `@`."""
    return 0, word.rindex("@") + 1


def _bare_user(word: str) -> Span:
    """A user that no scheme introduces: before what is surely a host, with a password that is no word, or of one word."""
    sure, likely, last = (_last_end(host, word) for host in (_SURE_HOST, _HOST, _ANY_HOST))
    telling = _last_end(_TELLING, word[:last])
    for found in _USER.finditer(word):
        begin, after = found.start("user" if found["user"] else "nobody"), found.end()
        code = _CODE.match(word, after) is not None
        ends = [sure]
        if not code and telling > after and last - after > _LEAST_TOKEN:
            ends.append(last)
        if not code and "." not in (found["user"] or ""):
            ends.append(likely)
        if max(ends) > after and found["user"] not in _NO_USERS:
            return begin, max(ends)
    return 0, 0


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    return max((found.end() for found in pattern.finditer(text)), default=0)


def _is_user(text: str) -> bool:
    """Whether what goes before an `@` is a user, not `host/v1/` or `host:8000/v1/`, in whose path the `@` stands."""
    name, _, password = _IPV6.sub("", text).partition(":")
    after_port = _PORT.match(password) and (text.endswith("/") or _QUOTE.search(password) is not None)
    return bool(text) and "/" not in name and not after_port


_USERS = (
    (_UNBROKEN, _long_user),
    (_AFTER_SCHEME, _short_user),
    (_IN_QUOTES, _quoted_user),
    (_UNJOINED, _bare_user),
)
"""Which words may be addresses, and how far a user goes in one."""

_RULES: tuple[Callable[[str], Iterator[Span]], ...] = (_provided, _named, _queried, _sent, users)
