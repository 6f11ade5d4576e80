"""One page over HTTP: from one host only, conditional, bounded in size and time."""

import http.client
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import IO, Final
from urllib.parse import quote, urljoin, urlsplit

PAGE_LIMIT: Final = 10 * 2**20
"""Bytes of a page."""
_HOPS: Final = 5
_BLOCK: Final = 64 * 1024
_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_RESERVED: Final = "%/:=&?~#+!$,;'@()*[]"
"""What an address may hold as it is; everything else is percent-encoded."""
_DIGITS: Final = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A whole body. url: the one that answered, after redirects."""

    url: str
    content: bytes
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class NotModified:
    """The copy at hand is current."""


@dataclass(frozen=True, slots=True)
class Gone:
    """404 or 410."""

    status: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that asking again will not change."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Something that may pass. wait_s: as the host asks, None if it does not. network: the host was not reached at all."""

    reason: str
    wait_s: float | None = None
    network: bool = False


Answer = Fetched | NotModified | Gone | Refused | Failed


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """A redirect."""

    address: str


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are followed by hand, after a look at where they lead."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        del req, fp, code, msg, headers, newurl


class Client:
    """Asks one host. host: scheme and host. deadline_s: for a whole page, however slowly it comes."""

    def __init__(self, host: str, agent: str, timeout_s: float = 30.0, deadline_s: float = 180.0) -> None:
        self.host = host
        self._agent = agent
        self._timeout_s = timeout_s
        self._deadline_s = deadline_s
        self._opener = urllib.request.build_opener(_NoRedirects)

    def get(
        self,
        url: str,
        etag: str | None = None,
        last_modified: str | None = None,
        may_follow: Callable[[str], bool] = lambda _: True,
    ) -> Answer:
        """A page, or why not. etag, last_modified: of the copy at hand. may_follow: asked before a redirect is."""
        headers = {
            "User-Agent": self._agent,
            "Accept": "text/html,text/markdown,text/plain",
            "Accept-Encoding": "identity",
        }
        if etag:
            headers["If-None-Match"] = etag
        if last_modified:
            headers["If-Modified-Since"] = last_modified
        url = quote(url, safe=_RESERVED)
        for hop in range(_HOPS):
            if not self._allowed(url):
                return Refused(f"leads to {url}, and pages come from {self.host} only")
            if hop and not may_follow(url):
                return Refused(f"leads to {url}, which robots.txt of the host asks not to fetch")
            answer = self._asked(url, headers)
            if not isinstance(answer, _Elsewhere):
                return answer
            try:
                url = urljoin(url, answer.address)
            except ValueError:
                return Refused(f"leads to an address that is none: {answer.address}")
        return Refused(f"more than {_HOPS} redirects")

    def _asked(self, url: str, headers: Mapping[str, str]) -> "Answer | _Elsewhere":
        """One request."""
        try:
            with self._opener.open(
                urllib.request.Request(url, headers=dict(headers)), timeout=self._timeout_s
            ) as reply:
                return self._body(reply)
        except urllib.error.HTTPError as error:
            with error:
                where = error.headers.get("Location")
                if error.code in _REDIRECTS and where:
                    return _Elsewhere(_as_sent(where))
                return _refusal(error)
        except urllib.error.URLError as error:
            return _unreachable(error.reason)
        except ValueError as error:  # before OSError and HTTPException: some errors are both
            return Refused(f"leads to an address that is none: {error}")
        except (OSError, http.client.HTTPException) as error:
            return Failed(f"the connection broke: {type(error).__name__} {error}".rstrip(), network=True)

    def _allowed(self, url: str) -> bool:
        try:
            wanted, found = urlsplit(self.host), urlsplit(url)
        except ValueError:
            return False
        return (found.scheme, found.netloc.lower()) == (wanted.scheme, wanted.netloc.lower())

    def _body(self, reply: http.client.HTTPResponse) -> Fetched | Refused | Failed:
        if reply.headers.get("Content-Encoding", "identity").lower() != "identity":
            return Refused(f"is sent as {reply.headers['Content-Encoding']}, which was not asked for")
        promised = reply.headers.get("Content-Length")
        length = int(promised) if promised is not None and _DIGITS.fullmatch(promised) else None
        if length is not None and length > PAGE_LIMIT:
            return _too_large(length)
        content, end = bytearray(), time.monotonic() + self._deadline_s
        while block := reply.read1(_BLOCK):
            content += block
            if len(content) > PAGE_LIMIT:
                return _too_large(len(content))
            if time.monotonic() > end:
                return Failed(f"took longer than {self._deadline_s:.0f} s")
        if length is not None and len(content) != length:
            return Failed(f"broke off after {len(content)} of {length} bytes")
        return Fetched(reply.geturl(), bytes(content), reply.headers.get("ETag"), reply.headers.get("Last-Modified"))


def _too_large(size: int) -> Refused:
    return Refused(f"has {size} bytes or more; pages over {PAGE_LIMIT} are not taken")


def _refusal(error: urllib.error.HTTPError) -> Answer:
    if error.code == 304:
        return NotModified()
    if error.code in (404, 410):
        return Gone(error.code)
    if error.code == 429 or error.code >= 500:
        return Failed(f"the host answered {error.code} {error.reason}", _wait_s(error.headers.get("Retry-After", "")))
    return Refused(f"the host answered {error.code} {error.reason}")


def _wait_s(retry_after: str) -> float | None:
    """Seconds until the host wants to be asked again, which it may give as a date; None if it does not say."""
    if _DIGITS.fullmatch(retry_after):
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _as_sent(location: str) -> str:
    """A header's address with the bytes that are no ASCII percent-encoded, as every browser sends them back."""
    return quote(location.encode("latin-1", "replace"), safe=_RESERVED)


def _unreachable(reason: str | BaseException) -> Failed | Refused:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return Refused(f"the host's certificate is not trusted: {reason.verify_message}")
    return Failed(f"the host is not reached: {reason}", network=True)
