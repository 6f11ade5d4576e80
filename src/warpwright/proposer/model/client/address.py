"""Addresses of servers: which a person may give, and what a message says of one."""

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from warpwright.errors import UsageError
from warpwright.proposer.model.client.scrubbing.scrub import scrub

_USER = re.compile(r"[^/]@")
"""Also behind a slash, which a password may hold; paths have names like `/@cf/model`."""


def checked_address(base_url: str) -> str:
    """The address. Raises: UsageError if it is none of a server, or holds a secret (records keep it)."""
    split = _split(base_url)
    if _holds_secret(base_url, split):
        raise UsageError(
            "--base-url holds a password or key, and the record keeps this address. Give the key by the environment variable "
            "WARPWRIGHT_API_KEY instead."
        )
    if split is None or split.scheme not in ("http", "https") or not split.hostname or not base_url.isprintable():
        raise UsageError(
            f"--base-url {base_url!r} is no address of a server: write http://HOST:PORT/v1 or https://HOST/v1, as the server's "
            "documentation has it."
        )
    return base_url


def tried_address(errors: Iterable[BaseException]) -> str | None:
    """Where a request went that failed, by the error or one that caused it; None if the library does not say."""
    for each in errors:
        try:
            url = getattr(getattr(each, "request", None), "url", None)
        except RuntimeError:  # httpx, of an error that has no request
            continue
        split = None if url is None else _split(str(url))
        if split is not None and split.hostname:
            return shown_address(str(url))
    return None


def shown_address(url: str) -> str:
    """An address as messages have it: no query, no user."""
    split = _split(url)
    if split is None or not split.hostname:
        return url.rpartition("@")[2].partition("?")[0].partition("#")[0]
    return urlunsplit((split.scheme, split.netloc.rpartition("@")[2], split.path, "", ""))


def _holds_secret(url: str, split: SplitResult | None) -> bool:
    """Whether anything but the host does: a host may be called `hf-inference` or `pk-models`."""
    rest = url if split is None or not split.hostname else f"{split.path}?{split.query}#{split.fragment}"
    return bool(_USER.search(unquote(url))) or scrub(rest) != rest


def _split(url: str) -> SplitResult | None:
    try:
        split = urlsplit(url)
        split.port  # noqa: B018 # read for what it raises
    except ValueError:
        return None
    return None if any(sign.isspace() for sign in url) else split
