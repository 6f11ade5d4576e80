"""bubblewrap around a process that drives a GPU: read-only root, no home, private /tmp, no network, only GPU devices."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PROBE_LIMIT_S = 10.0
_HOMES = ("/home", "/root", "/mnt", "/media", "/run/user")
_DEVICES = (
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
    "/dev/nvidia-modeset",
    "/dev/nvidia-caps",
    "/dev/dxg",
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """options: bubblewrap and its words; empty where there is no sandbox. reason: why not; None if there is one."""

    options: tuple[str, ...]
    reason: str | None

    def prefix(self, writable: Path | None = None) -> tuple[str, ...]:
        """What stands before a command. writable: the one folder outside of it that the command may change."""
        folder = ("--bind", str(writable), str(writable)) if writable is not None else ()
        return (*self.options, *folder, "--") if self.options else ()


def sandbox(readable: Sequence[Path]) -> Sandbox:
    """bubblewrap if it works here. readable: files and folders that stay visible although they lie in a hidden place."""
    reason = unavailable()
    if reason is not None:
        return Sandbox((), reason)
    return Sandbox((*_base(), *_devices(), *_visible(readable)), None)


@cache
def unavailable() -> str | None:
    """Why bubblewrap cannot be used; None if it can. User namespaces may be forbidden, so it is tried once."""
    if sys.platform != "linux":
        return "bubblewrap exists on Linux only"
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    try:
        tried = subprocess.run(
            [*_base(), "--", "/bin/true"], capture_output=True, encoding="utf-8", timeout=_PROBE_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"bwrap did not answer within {_PROBE_LIMIT_S:g} s"
    if tried.returncode != 0:
        return f"bwrap does not work here: {tried.stderr.strip() or f'exit code {tried.returncode}'}"
    return None


def _base() -> tuple[str, ...]:
    hidden = [part for home in _HOMES if Path(home).is_dir() for part in ("--tmpfs", home)]
    return (
        "bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
        "--ro-bind", "/", "/", *hidden, "--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc",
    )  # fmt: skip


def _devices() -> tuple[str, ...]:
    names = (*_DEVICES, *sorted(str(path) for path in Path("/dev").glob("nvidia[0-9]*")))
    return tuple(part for name in names for part in ("--dev-bind-try", name, name))


def _visible(readable: Sequence[Path]) -> tuple[str, ...]:
    """Links too: what a path names and where it leads must both be there."""
    places = dict.fromkeys(place for path in readable for place in (path.absolute(), path.resolve()))
    return tuple(part for place in places for part in ("--ro-bind-try", str(place), str(place)))
