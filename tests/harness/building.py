"""Builds the harness and the stand-in driver once, into `build/harness-tests`; later calls only check what changed."""

import functools
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from warpwright.isolation.file_lock import file_lock

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "harness-tests"
_TARGETS = ("warpwright-harness", "standin-cuda", "standin-old-driver")
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


class BuildUnavailable(Exception):
    """No CMake, or no C++ compiler that CMake finds: tests of the binary are skipped."""


@dataclass(frozen=True, slots=True)
class Built:
    """The program, the stand-in driver (which is also a stand-in NVML), and a driver that is too old."""

    harness: Path
    driver: Path
    old_driver: Path


@functools.cache
def build() -> Built:
    """The binaries of the sources as they are. Takes half a minute on two cores the first time.

    Raises: BuildUnavailable; AssertionError with the compiler's output if the sources do not compile.
    """
    cmake = shutil.which("cmake")
    if cmake is None:
        raise BuildUnavailable("no cmake in PATH")
    BUILD.mkdir(parents=True, exist_ok=True)
    with file_lock(BUILD / "lock", 600):
        if not (BUILD / "CMakeCache.txt").exists():
            _configure(cmake)
        built = _run(cmake, "--build", str(BUILD), "--config", "Release", "--target", *_TARGETS)
        assert built.returncode == 0, built.stdout[-8000:]
    return Built(_find("warpwright-harness", (".exe", "")), _library("standin_cuda"), _library("standin_old_driver"))


def _configure(cmake: str) -> None:
    generator = ("-G", "Ninja") if shutil.which("ninja") else ()
    configured = _run(cmake, "-S", str(ROOT), "-B", str(BUILD), *generator)
    if configured.returncode != 0:
        (BUILD / "CMakeCache.txt").unlink(missing_ok=True)
        if "No CMAKE_CXX_COMPILER could be found" in configured.stdout:
            raise BuildUnavailable("no C++ compiler")
        raise AssertionError(configured.stdout[-8000:])


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def _library(name: str) -> Path:
    return _find(f"lib{name}", (_SUFFIX,))


def _find(stem: str, suffixes: tuple[str, ...]) -> Path:
    for suffix in suffixes:
        for path in sorted(BUILD.rglob(stem + suffix)):
            if path.is_file():
                return path
    raise AssertionError(f"the build left no {stem}{suffixes[0]} below {BUILD}")
