"""Where Nsight Compute's program is, and which version."""

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warpwright.isolation.environment import worker_environment
from warpwright.profiler.nsight_compute.result import Unavailable
from warpwright.profiler.tool_process import ToolCommand, run_tool

OLDEST = (2022, 2)
"""Older ones lack options that are used here."""
_VERSION = re.compile(r"Version (\d+(?:\.\d+)+)")
_VERSION_LIMIT_S = 60.0
_PROGRAM = "ncu.exe" if sys.platform == "win32" else "ncu"
_REMEDY = (
    "Install Nsight Compute (part of the CUDA toolkit; package nsight-compute), put `ncu` into PATH, or name it in "
    "WARPWRIGHT_NCU."
)
_PATTERNS = (
    "/usr/local/cuda/bin/ncu",
    "/opt/nvidia/nsight-compute/*/ncu",
    "/usr/local/cuda*/nsight-compute-*/ncu",
    "C:/Program Files/NVIDIA Corporation/Nsight Compute */target/windows-desktop-win*-x64/ncu.exe",
)


@dataclass(frozen=True, slots=True)
class Ncu:
    """The program. version: `2025.3.1.0`."""

    path: Path
    version: str

    @property
    def label(self) -> str:
        """Name and version, for records."""
        return f"Nsight Compute {self.version}"


def find_ncu(named: Path | None = None, patterns: tuple[str, ...] = _PATTERNS) -> Ncu | Unavailable:
    """The first that is there: PATH, beside nvcc, then `patterns` (the newest of each). named: used alone if given."""
    places = [named] if named is not None else list(_places(patterns))
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        where = f"{named} is not there" if named is not None else "it is neither in PATH nor where NVIDIA installs it"
        return Unavailable(f"Nsight Compute was not found: {where}.", _REMEDY, lasting=True)
    return _asked(_real_program(path))


def _places(patterns: tuple[str, ...]) -> Iterator[Path]:
    for name, program in (("ncu", _PROGRAM), ("nvcc", _PROGRAM)):
        found = shutil.which(name)
        if found is not None:
            yield Path(found) if name == "ncu" else Path(found).parent / program
    for pattern in patterns:
        anchor = Path(pattern).anchor
        if Path(anchor).is_dir():
            yield from sorted(Path(anchor).glob(pattern[len(anchor) :]), key=_by_version, reverse=True)


def _by_version(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", str(path)))


def _real_program(path: Path) -> Path:
    """Windows: a batch file stands in PATH, whose child would outlive it."""
    if path.suffix.lower() != ".bat":
        return path
    return next(iter(sorted(path.parent.glob("target/windows-desktop-win*-x64/ncu.exe"))), path)


@cache
def _asked(path: Path) -> Ncu | Unavailable:
    """Once in a process: it takes a second."""
    try:
        command = ToolCommand((str(path), "--version"), worker_environment(), path.parent, _VERSION_LIMIT_S)
        done = run_tool(command)
    except OSError as error:
        return Unavailable(f"{path} cannot be started ({error.strerror or error}).", _REMEDY, lasting=True)
    match = _VERSION.search(done.text)
    if match is None:
        said = done.text[-300:] or "nothing"
        return Unavailable(
            f"{path} --version does not say which version it is; it said: {said}.", _REMEDY, lasting=True
        )
    version = match[1]
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        oldest = ".".join(str(part) for part in OLDEST)
        return Unavailable(f"{path} is Nsight Compute {version}; needed is {oldest} or newer.", _REMEDY, lasting=True)
    return Ncu(path, version)
