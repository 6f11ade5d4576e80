"""The NVIDIA driver, asked in a child process: a broken driver may hang or crash whoever loads it."""

import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warpwright.isolation.environment import driver_environment

_TIME_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Driver:
    """present: the driver library loads. version: newest CUDA it serves, `13.0`. gpus: by index. problem: if it failed."""

    present: bool
    version: str | None
    gpus: tuple[str, ...]
    problem: str | None

    @property
    def cuda(self) -> tuple[int, int] | None:
        """The version as numbers."""
        if self.version is None:
            return None
        major, _, minor = self.version.partition(".")
        return int(major), int(minor)


@cache
def find_driver(library: Path | None = None) -> Driver:
    """What the driver says; never raises. library: to ask instead of the system's driver."""
    named = () if library is None else (str(library),)
    try:
        completed = subprocess.run(
            [sys.executable, "-P", "-m", "warpwright.device.driver_probe", *named],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIME_LIMIT_S,
            env=driver_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _failed(f"the NVIDIA driver did not answer within {_TIME_LIMIT_S:g} s")
    if completed.returncode != 0:
        return _failed(f"asking the NVIDIA driver ended with exit code {completed.returncode}")
    return _parse(completed.stdout)


def _failed(problem: str) -> Driver:
    return Driver(present=True, version=None, gpus=(), problem=problem)


def _parse(text: str) -> Driver:
    """Lines of `key value`; `gpu` may repeat."""
    fields = [line.partition(" ")[::2] for line in text.splitlines() if line]
    first = dict(reversed(fields))
    gpus = tuple(value for key, value in fields if key == "gpu")
    return Driver("absent" not in first, first.get("version"), gpus, first.get("problem"))
