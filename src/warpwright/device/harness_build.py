"""Building the program `warpwright-harness` where the installation brought none: CMake, a C++17 compiler, no CUDA."""

import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from warpwright.errors import InputError, ToolchainUnavailable

_LAST_LINES = 30


def checkout() -> Path | None:
    """The source tree that this package runs from, if it runs from one."""
    root = Path(__file__).parents[3]
    return root if _is_source(root) else None


def installed_prefix() -> Path:
    """The folder below whose `bin` an installed Warpwright looks for the program."""
    return Path(sysconfig.get_paths()["platlib"]) / "warpwright"


def build_harness(source: Path, prefix: Path) -> Path:
    """Compile the harness of a source tree and install it into `prefix`/bin; its path.

    Takes half a minute on two cores. Raises: InputError if `source` is none; ToolchainUnavailable with the last lines of
    what failed and the remedy.
    """
    if not _is_source(source):
        raise InputError(
            f"{source} is no source tree of Warpwright: it has no harness/CMakeLists.txt. Name one by --source."
        )
    cmake = shutil.which("cmake")
    if cmake is None:
        raise ToolchainUnavailable("no cmake on PATH. Install CMake 3.24 or newer: `pip install cmake ninja`.")
    generator = ("-G", "Ninja") if shutil.which("ninja") else ()
    with tempfile.TemporaryDirectory(prefix="warpwright-build-") as folder:
        _run(cmake, "-S", str(source), "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DWARPWRIGHT_TESTS=OFF")
        _run(cmake, "--build", folder, "--config", "Release", "--target", "warpwright-harness")
        _run(cmake, "--install", folder, "--config", "Release", "--component", "harness", "--prefix", str(prefix))
    return next((prefix / "bin").glob("warpwright-harness*"))


def _is_source(path: Path) -> bool:
    return (path / "CMakeLists.txt").is_file() and (path / "harness" / "CMakeLists.txt").is_file()


def _run(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-_LAST_LINES:])
        raise ToolchainUnavailable(
            f"{' '.join(command[:2])} failed:\n{last}\n"
            "A C++17 compiler is needed: g++ 9, clang 10 or Visual Studio 2022, or newer."
        )
