"""What went wrong when a model was asked, in our words: its kind, whether another try may help, what to do."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from langchain_core import exceptions as langchain

from warpwright.proposer.conversation import FaultKind
from warpwright.proposer.model.client.address import shown_address, tried_address
from warpwright.proposer.model.client.scrubbing.scrub import scrub

_LONGEST_QUOTE = 300
_LOOKED_AT = 16384
"""So much of what a server sent is searched for keys; the quote is cut from that."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One request that failed. what: in words. advice: what to do. wait_s: how long the server asks to wait.

    tools_refused, stream_refused: it does not take tools, does not stream.
    """

    kind: FaultKind
    what: str
    advice: str
    may_pass: bool
    wait_s: float | None = None
    tools_refused: bool = False
    stream_refused: bool = False

    @property
    def message(self) -> str:
        """What went wrong and what to do about it."""
        return f"{self.what}. {self.advice}"


_CLASSES: tuple[tuple[type[Exception], FaultKind], ...] = (
    (langchain.ContextOverflowError, FaultKind.REQUEST),
    (langchain.ModelAuthenticationError, FaultKind.AUTHENTICATION),
    (langchain.ModelPermissionDeniedError, FaultKind.AUTHENTICATION),
    (langchain.ModelRateLimitError, FaultKind.RATE_LIMIT),
    (langchain.ModelNotFoundError, FaultKind.REQUEST),
    (langchain.ModelInvalidRequestError, FaultKind.REQUEST),
    (langchain.ModelAPIError, FaultKind.SERVER),
    (langchain.ModelTimeoutError, FaultKind.TIMEOUT),
    (langchain.ModelConnectionError, FaultKind.CONNECTION),
    (TimeoutError, FaultKind.TIMEOUT),
    (ConnectionError, FaultKind.CONNECTION),
)
_STATUS = {
    400: FaultKind.REQUEST, 401: FaultKind.AUTHENTICATION, 402: FaultKind.RATE_LIMIT, 403: FaultKind.AUTHENTICATION,
    404: FaultKind.REQUEST, 408: FaultKind.TIMEOUT, 413: FaultKind.REQUEST, 422: FaultKind.REQUEST,
    425: FaultKind.SERVER, 429: FaultKind.RATE_LIMIT,
}  # fmt: skip
_CLASS_NAMES = (
    (re.compile(r"timeout|deadline", re.IGNORECASE), FaultKind.TIMEOUT),
    (re.compile(r"resourceexhausted|ratelimit", re.IGNORECASE), FaultKind.RATE_LIMIT),
    (re.compile(r"unauthenticated|authentication|permission|credentials", re.IGNORECASE), FaultKind.AUTHENTICATION),
    (
        re.compile(r"connect|network|remoteprotocol|readerror|writeerror|serviceunavailable", re.IGNORECASE),
        FaultKind.CONNECTION,
    ),
    (re.compile(r"invalidargument|notfound|badrequest", re.IGNORECASE), FaultKind.REQUEST),
)
"""For libraries whose errors are of no class that we may import."""

_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum context|(prompt|input) is too long|too many tokens|token.{0,40}exceed",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"(does not|doesn't|not) support.{0,20}(tool|function)|tools? (is|are) not supported|tool.choice|--jinja", re.I
)
_NO_STREAM = re.compile(r"\bstream(ing|ed)?\b", re.IGNORECASE)
_PAGE = re.compile(r"<!doctype html|<html|<head|<body|<\?xml", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient.?quota|billing|credit balance|payment", re.IGNORECASE)

_ADVICE = {
    FaultKind.AUTHENTICATION: "Check the key and what it may be used for.",
    FaultKind.RATE_LIMIT: "Wait, or use a model with a higher limit.",
    FaultKind.TIMEOUT: "Allow more time (--model-timeout 5m), or use a faster model.",
    FaultKind.CONNECTION: "Check the address, the network, and that the server runs.",
    FaultKind.SERVER: "The provider has a fault; try later.",
    FaultKind.REQUEST: "Check the model's name, the base URL and the options.",
    FaultKind.REPLY: "Check the base URL; for servers that speak OpenAI's protocol it usually ends in /v1.",
}


_OF_ADDRESSES = frozenset({FaultKind.CONNECTION, FaultKind.TIMEOUT, FaultKind.REPLY})


def failure_of(error: Exception, base_url: str | None = None, keys: Iterable[str] = ()) -> Failure:
    """What `error`, raised by a chat model, means. base_url: as the user gave it.

    keys: taken out of what is quoted before it is cut, where no part of one is left over. The address may still hold one.
    """
    status = _status(error)
    kind = _kind(error, status)
    text = _words(error, keys)
    advice = _ADVICE[kind]
    if kind is FaultKind.REQUEST and _TOO_LONG.search(text):
        advice = "The prompt is longer than this model can read: use a model with a larger context."
    elif kind is FaultKind.REPLY:
        text = _unreadable(error, text, keys)
    no_credit = kind is FaultKind.RATE_LIMIT and bool(_NO_CREDIT.search(text) or status == 402)
    if no_credit:
        advice = "The account has no credit left."
    refused = kind in (FaultKind.REQUEST, FaultKind.SERVER) or isinstance(error, NotImplementedError)
    return Failure(
        kind=kind,
        what=f"{f'HTTP {status}: ' if status else ''}{text.rstrip('.')}{_where(error, kind, base_url)}",
        advice=advice,
        may_pass=not no_credit and kind not in (FaultKind.AUTHENTICATION, FaultKind.REQUEST),
        wait_s=_wait_s(error),
        tools_refused=refused and bool(_NO_TOOLS.search(text) or isinstance(error, NotImplementedError)),
        stream_refused=kind is FaultKind.REQUEST and bool(_NO_STREAM.search(text)),
    )


def _where(error: Exception, kind: FaultKind, base_url: str | None) -> str:
    """The address, of faults in which it may be a wrong one."""
    if kind not in _OF_ADDRESSES:
        return ""
    address = tried_address(_chain(error)) or (None if base_url is None else shown_address(base_url))
    return "" if address is None or address in str(error) else f" (asked {address})"


def _unreadable(error: Exception, text: str, keys: Iterable[str]) -> str:
    """Why an answer is no reply."""
    page = error.doc if isinstance(error, json.JSONDecodeError) else text
    found = _PAGE.search(page)
    if found:
        html = page[found.start() : page.rfind(">") + 1]
        return f"the server answered with a page of HTML, not with a reply: {_short(html, keys)}"
    return f"the server's answer is no reply of this protocol ({type(error).__name__}: {text})"


def _kind(error: Exception, status: int | None) -> FaultKind:
    for each in _chain(error):
        for error_class, kind in _CLASSES:
            if isinstance(each, error_class):
                return kind
    if status is not None:
        return _STATUS.get(status, FaultKind.SERVER if status >= 500 else FaultKind.REQUEST)
    for each in _chain(error):
        names = [
            base.__name__ for base in type(each).__mro__ if base not in (Exception, BaseException, object, OSError)
        ]
        for pattern, kind in _CLASS_NAMES:
            if any(pattern.search(name) for name in names):
                return kind
    if isinstance(error, OSError):
        return FaultKind.CONNECTION
    return FaultKind.SERVER if _said(error) else FaultKind.REPLY


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, nearest first."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _status(error: Exception) -> int | None:
    for each in _chain(error):
        for holder in (each, getattr(each, "response", None)):
            for name in ("status_code", "code"):
                value = getattr(holder, name, None)
                if isinstance(value, int) and 400 <= value < 600:
                    return int(value)
    return None


def _words(error: Exception, keys: Iterable[str]) -> str:
    """The server's own words if it sent any, else the library's."""
    for each in _chain(error):
        said = _said(each)
        if said:
            return _short(said, keys)
    text = str(error).strip()
    return _short(text, keys) if text else type(error).__name__


def _said(error: BaseException) -> str | None:
    """What the server said; LangChain raises the object of an answer `{"error": {...}}` with status 200 as an argument."""
    return _message_in(getattr(error, "body", None)) or (_message_in(error.args[0]) if error.args else None)


def _message_in(body: Any) -> str | None:
    """`message` of `{"error": {"message": ...}}`, `{"error": ...}` or `{"message": ...}`."""
    if not isinstance(body, dict):
        return None
    inner = body.get("error", body)
    said = inner.get("message") if isinstance(inner, dict) else inner
    return said if isinstance(said, str) and said.strip() else None


def _short(text: str, keys: Iterable[str]) -> str:
    """A quote of what was sent, on one line, without keys: once it is cut, nobody could tell that the end is part of one."""
    looked_at = " ".join(text.split())
    quote = scrub(looked_at[:_LOOKED_AT], keys)
    whole = len(quote) <= _LONGEST_QUOTE and len(looked_at) <= _LOOKED_AT
    return quote if whole else quote[: _LONGEST_QUOTE - 3] + "..."


def _wait_s(error: Exception) -> float | None:
    """What `Retry-After` says, in seconds."""
    for each in _chain(error):
        headers = getattr(getattr(each, "response", None), "headers", None)
        said = headers.get("retry-after") if headers is not None else None
        if isinstance(said, str):
            return _seconds(said)
    return None


def _seconds(said: str) -> float | None:
    if re.fullmatch(r"\d+(\.\d+)?", said.strip()):
        return float(said)
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
