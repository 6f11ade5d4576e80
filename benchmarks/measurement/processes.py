"""What this process and its descendants hold, read from /proc: processes, descriptors, files."""

import os
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

HARNESS = "warpwright-harn"
"""Its name as Linux shows it, cut to 15 characters."""


@dataclass(frozen=True, slots=True)
class Held:
    """descriptors: open in this process. temporary: files in the folder for temporary files. rss_bytes: resident."""

    processes: int
    descriptors: int
    temporary: int
    rss_bytes: int


def held() -> Held:
    """At this moment."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Held(
        processes=len(descendants()),
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        temporary=sum(path.is_file() for path in Path(tempfile.gettempdir()).rglob("*")),
        rss_bytes=pages * os.sysconf("SC_PAGE_SIZE"),
    )


def descendants(root: int | None = None) -> dict[int, str]:
    """Process id -> name of everything that this process has started, directly or not; zombies too."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        name, _, rest = text.partition("(")[2].rpartition(")")
        parents[int(entry.name)] = (int(rest.split()[1]), name)
    found: dict[int, str] = {}
    front = [os.getpid() if root is None else root]
    while front:
        front = [pid for pid, (parent, _) in parents.items() if parent in front]
        found.update((pid, parents[pid][1]) for pid in front)
    return found


def kill_harnesses() -> int:
    """End every harness that this process has started, as if it had crashed; how many there were."""
    pids = [pid for pid, name in descendants().items() if name == HARNESS]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return len(pids)
