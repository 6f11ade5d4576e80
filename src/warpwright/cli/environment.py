"""The only reader of environment variables; everything below is handed plain values."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

VARIABLES = {
    "WARPWRIGHT_SESSIONS": "where sessions are kept (default: ./sessions)",
    "WARPWRIGHT_CACHE": "where compiled kernels are kept (default: the user's cache folder)",
    "WARPWRIGHT_NVRTC": "path of the NVRTC library to use (default: the PyPI wheel)",
}
"""Every variable that is read, for `doctor` and the documentation."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What the environment says, with defaults filled in."""

    sessions: Path
    cache: Path
    nvrtc: str | None


def environment() -> Environment:
    """The environment of this process."""
    cache = os.environ.get("WARPWRIGHT_CACHE")
    return Environment(
        sessions=Path(os.environ.get("WARPWRIGHT_SESSIONS", "sessions")),
        cache=Path(cache) if cache else platformdirs.user_cache_path("warpwright"),
        nvrtc=os.environ.get("WARPWRIGHT_NVRTC") or None,
    )
