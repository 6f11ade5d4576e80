"""One page over HTTP: from one host only, conditional, bounded in size and time."""

import http.client
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from typing import IO, Final
from urllib.parse import urljoin, urlsplit

PAGE_LIMIT: Final = 10 * 2**20
"""Bytes of a page."""
_HOPS: Final = 5
_BLOCK: Final = 64 * 1024
_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))


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

    def get(self, url: str, etag: str | None = None, last_modified: str | None = None) -> Answer:
        """A page, or why not. etag, last_modified: of the copy at hand."""
        headers = {
            "User-Agent": self._agent,
            "Accept": "text/html,text/markdown,text/plain",
            "Accept-Encoding": "identity",
        }
        if etag:
            headers["If-None-Match"] = etag
        if last_modified:
            headers["If-Modified-Since"] = last_modified
        for _ in range(_HOPS):
            if not self._allowed(url):
                return Refused(f"leads to {url}, and pages come from {self.host} only")
            try:
                with self._opener.open(urllib.request.Request(url, headers=headers), timeout=self._timeout_s) as reply:
                    return self._body(reply)
            except urllib.error.HTTPError as error:
                with error:
                    where = error.headers.get("Location")
                    if error.code in _REDIRECTS and where:
                        url = urljoin(url, where)
                        continue
                    return _refusal(error)
            except urllib.error.URLError as error:
                return _unreachable(error.reason)
            except (OSError, http.client.HTTPException) as error:
                return Failed(f"the connection broke: {type(error).__name__} {error}".rstrip(), network=True)
        return Refused(f"more than {_HOPS} redirects")

    def _allowed(self, url: str) -> bool:
        wanted, found = urlsplit(self.host), urlsplit(url)
        return (found.scheme, found.netloc.lower()) == (wanted.scheme, wanted.netloc.lower())

    def _body(self, reply: http.client.HTTPResponse) -> Fetched | Refused | Failed:
        if reply.headers.get("Content-Encoding", "identity").lower() != "identity":
            return Refused(f"is sent as {reply.headers['Content-Encoding']}, which was not asked for")
        promised = reply.headers.get("Content-Length")
        if promised is not None and promised.isdigit() and int(promised) > PAGE_LIMIT:
            return _too_large(int(promised))
        content, end = bytearray(), time.monotonic() + self._deadline_s
        while block := reply.read1(_BLOCK):
            content += block
            if len(content) > PAGE_LIMIT:
                return _too_large(len(content))
            if time.monotonic() > end:
                return Failed(f"took longer than {self._deadline_s:.0f} s")
        if promised is not None and promised.isdigit() and len(content) != int(promised):
            return Failed(f"broke off after {len(content)} of {promised} bytes")
        return Fetched(reply.geturl(), bytes(content), reply.headers.get("ETag"), reply.headers.get("Last-Modified"))


def _too_large(size: int) -> Refused:
    return Refused(f"has {size} bytes or more; pages over {PAGE_LIMIT} are not taken")


def _refusal(error: urllib.error.HTTPError) -> Answer:
    if error.code == 304:
        return NotModified()
    if error.code in (404, 410):
        return Gone(error.code)
    if error.code == 429 or error.code >= 500:
        wait = error.headers.get("Retry-After", "")
        return Failed(f"the host answered {error.code} {error.reason}", float(wait) if wait.isdigit() else None)
    return Refused(f"the host answered {error.code} {error.reason}")


def _unreachable(reason: str | BaseException) -> Failed | Refused:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return Refused(f"the host's certificate is not trusted: {reason.verify_message}")
    return Failed(f"the host is not reached: {reason}", network=True)
