"""Takes keys out of texts: an error message of a server may repeat what it was sent."""

import re
from collections.abc import Iterable

HIDDEN = "[key]"

_PATTERNS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=*-]{8,}"),
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|tgp|hf|nvapi|AIza|ya29)[-_A-Za-z0-9*.]{12,}"),
    re.compile(r"(?i)(?<=api.key[=:])\s*[^\s&\"',}]{8,}"),
    re.compile(r"(?i)(?<=[?&]key=)[^\s&\"']+"),
    re.compile(r"(?<=://)[^/\s@]+@"),
)
"""Texts that look like a key: of the known providers, in headers, in addresses."""


def scrub(text: str, keys: Iterable[str] = ()) -> str:
    """`text` without `keys` and without anything that looks like one."""
    for key in sorted(filter(None, keys), key=len, reverse=True):
        text = text.replace(key, HIDDEN)
    for pattern in _PATTERNS:
        text = pattern.sub(HIDDEN, text)
    return text
