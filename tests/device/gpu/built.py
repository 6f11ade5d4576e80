"""The harness and the stand-in driver, built from this checkout."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from warpwright.isolation.file_lock import file_lock

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "build" / "harness-tests"


@dataclass(frozen=True, slots=True)
class Built:
    harness: Path
    driver: Path
    old_driver: Path


@cache
def build() -> Built:
    """Nothing is built twice: Ninja looks at the sources."""
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        pytest.skip("needs CMake and Ninja")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with file_lock(FOLDER / "lock", 600):
        run("cmake", "-S", str(ROOT), "-B", str(FOLDER), "-G", "Ninja")
        run("cmake", "--build", str(FOLDER), "--target", "warpwright-harness", "standin-cuda", "standin-old-driver")
    program, library = (".exe", ".dll") if sys.platform == "win32" else ("", ".so")
    return Built(
        FOLDER / "harness" / f"warpwright-harness{program}",
        FOLDER / "standin" / f"libstandin_cuda{library}",
        FOLDER / "standin" / f"libstandin_old_driver{library}",
    )


def run(*words: str) -> None:
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]
