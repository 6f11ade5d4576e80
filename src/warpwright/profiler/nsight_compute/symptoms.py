"""Why Nsight Compute gave nothing: its words, recognised and explained (`symptoms.toml`)."""

import re
import sys
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path

from warpwright.profiler.nsight_compute.result import Unavailable
from warpwright.profiler.tool_process import ToolRun

_LAST_WORDS = 400


class Surroundings(StrEnum):
    """Where this process runs, as far as a remedy depends on it."""

    PLAIN = "plain"
    CONTAINER = "container"
    WSL = "wsl"
    WINDOWS = "windows"


@dataclass(frozen=True, slots=True)
class Symptom:
    """One row of `symptoms.toml`."""

    name: str
    pattern: re.Pattern[str]
    meaning: str
    remedies: dict[str, str]
    lasting: bool

    def explained(self, surroundings: Surroundings) -> Unavailable:
        """Its meaning with the remedy for that place."""
        remedy = self.remedies.get(f"remedy_{surroundings.value}", self.remedies["remedy"])
        return Unavailable(self.meaning, remedy, self.lasting)


def explain(run: ToolRun, limit_s: float, surroundings: Surroundings) -> Unavailable:
    """Why a run left no report. limit_s: its wall limit."""
    if run.exit_code is None:
        return Unavailable(
            f"Nsight Compute did not end within {limit_s:g} s and was stopped.",
            "Replaying takes a launch many times: profile a smaller case.",
        )
    for symptom in symptoms():
        if symptom.pattern.search(run.text):
            return symptom.explained(surroundings)
    said = " ".join(run.text.split())[-_LAST_WORDS:] or "nothing"
    return Unavailable(f"Nsight Compute ended with exit code {run.exit_code} and left no report; it said: {said}")


def permission(surroundings: Surroundings) -> Unavailable:
    """The reply to counters that are known to be forbidden."""
    return next(s for s in symptoms() if s.name == "no_permission").explained(surroundings)


@cache
def symptoms() -> tuple[Symptom, ...]:
    """All rows, in order."""
    text = (files("warpwright.profiler.nsight_compute") / "symptoms.toml").read_text(encoding="utf-8")
    return tuple(
        Symptom(
            name=row["name"],
            pattern=re.compile(row["pattern"], re.IGNORECASE | re.DOTALL),
            meaning=row["meaning"],
            remedies={key: value for key, value in row.items() if key.startswith("remedy")},
            lasting=row.get("lasting", False),
        )
        for row in tomllib.loads(text)["symptom"]
    )


def surroundings(root: Path = Path("/")) -> Surroundings:
    """Where this process runs. root: of the file system that is looked at."""
    if sys.platform == "win32":
        return Surroundings.WINDOWS
    kernel = _read(root / "proc/sys/kernel/osrelease") or _read(root / "proc/version")
    if "microsoft" in kernel.lower():
        return Surroundings.WSL
    marks = (root / ".dockerenv", root / "run/.containerenv", root / "run/systemd/container")
    inside = any(mark.exists() for mark in marks) or re.search(
        r"docker|containerd|kubepods|lxc|libpod", _read(root / "proc/1/cgroup")
    )
    return Surroundings.CONTAINER if inside else Surroundings.PLAIN


_CAPABILITIES = (21, 38)
"""CAP_SYS_ADMIN and CAP_PERFMON of Linux."""


def counters_forbidden(root: Path = Path("/")) -> bool:
    """True if the driver keeps counters for administrators and this process has no right of theirs; False is also unknown."""
    if not re.search(r"^RmProfilingAdminOnly:\s*1\s*$", _read(root / "proc/driver/nvidia/params"), re.MULTILINE):
        return False
    held = re.search(r"^CapEff:\s*([0-9a-fA-F]+)\s*$", _read(root / "proc/self/status"), re.MULTILINE)
    return held is not None and not any(int(held[1], 16) >> bit & 1 for bit in _CAPABILITIES)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
