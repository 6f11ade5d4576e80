"""The only reader of environment variables; everything below is handed plain values."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from pydantic import SecretStr

VARIABLES = {
    "WARPWRIGHT_SESSIONS": "where sessions are kept (default: ./sessions)",
    "WARPWRIGHT_CACHE": "where compiled kernels are kept (default: the user's cache folder)",
    "WARPWRIGHT_DOCS": "where documentation and its index are kept (default: the user's data folder)",
    "WARPWRIGHT_HISTORY": "file of what sessions taught, `off` for none (default: in the user's data folder)",
    "WARPWRIGHT_API_KEY": "key that is sent to the server of --base-url (default: none is sent)",
    "WARPWRIGHT_PRICES": "file with prices of models, read before ours (default: none)",
    "WARPWRIGHT_NVRTC": "path of the NVRTC library to use (default: the PyPI wheel)",
    "WARPWRIGHT_NCU": "path of Nsight Compute's program ncu (default: looked for)",
    "WARPWRIGHT_HARNESS": "path of the program warpwright-harness (default: the installed one)",
    "WARPWRIGHT_DRIVER": "path of the driver library to use (default: the system's)",
    "WARPWRIGHT_SANDBOX": "`off` runs the GPU harness without bubblewrap (default: with it, where it works)",
    "WARPWRIGHT_HARNESS_LOG": "folder in which every request to the GPU harness is kept (default: nowhere)",
    "WARPWRIGHT_COMPUTE_SANITIZER": "path of the program compute-sanitizer (default: PATH, the CUDA toolkit's, its wheel's)",
    "WARPWRIGHT_NVML": "path of the NVML library, read by the harness (default: the system's)",
}
"""Every variable that is read, for `doctor` and the documentation."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What the environment says, with defaults filled in."""

    sessions: Path
    cache: Path
    documents: Path
    history: Path | None
    api_key: SecretStr | None
    prices: Path | None
    nvrtc: str | None
    ncu: Path | None
    harness: Path | None
    driver: Path | None
    sandboxed: bool
    harness_log: Path | None
    compute_sanitizer: Path | None


def is_set(variable: str) -> bool:
    """Whether a variable holds anything; what it holds stays where it is."""
    return bool(os.environ.get(variable))


def environment() -> Environment:
    """The environment of this process."""
    cache = os.environ.get("WARPWRIGHT_CACHE")
    return Environment(
        sessions=Path(os.environ.get("WARPWRIGHT_SESSIONS", "sessions")),
        cache=Path(cache) if cache else platformdirs.user_cache_path("warpwright"),
        documents=_path("WARPWRIGHT_DOCS") or platformdirs.user_data_path("warpwright") / "documents",
        history=_history(),
        api_key=SecretStr(key) if (key := os.environ.get("WARPWRIGHT_API_KEY")) else None,
        prices=_path("WARPWRIGHT_PRICES"),
        nvrtc=os.environ.get("WARPWRIGHT_NVRTC") or None,
        ncu=_path("WARPWRIGHT_NCU"),
        harness=_path("WARPWRIGHT_HARNESS"),
        driver=_path("WARPWRIGHT_DRIVER"),
        sandboxed=os.environ.get("WARPWRIGHT_SANDBOX", "").lower() != "off",
        harness_log=_path("WARPWRIGHT_HARNESS_LOG"),
        compute_sanitizer=_path("WARPWRIGHT_COMPUTE_SANITIZER"),
    )


def _history() -> Path | None:
    if os.environ.get("WARPWRIGHT_HISTORY", "").lower() == "off":
        return None
    return _path("WARPWRIGHT_HISTORY") or platformdirs.user_data_path("warpwright") / "history.sqlite"


def _path(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).absolute() if value else None
