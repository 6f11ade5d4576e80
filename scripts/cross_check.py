"""Builds the harness for Windows on Linux, with MinGW-w64, and tries it under Wine where that is installed.

Debian: apt-get install g++-mingw-w64-x86-64-posix wine64. It shows that the Windows code compiles and runs on Win32; it
does not show Visual C++, nor a GPU.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILER = "x86_64-w64-mingw32-g++-posix"
PROGRAM = ROOT / "build" / "mingw" / "harness" / "warpwright-harness.exe"
NO_DRIVER = 71


def find_wine() -> str | None:
    """The 64-bit Wine, or None."""
    return shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine") or shutil.which("wine")


def build() -> bool:
    """Configure and build everything, tests included."""
    commands = (["cmake", "--preset", "mingw"], ["cmake", "--build", "--preset", "mingw"])
    return all(subprocess.run(command, cwd=ROOT, check=False).returncode == 0 for command in commands)


def try_it(wine: str) -> list[str]:
    """What does not behave, in words."""
    faults = []
    with tempfile.TemporaryDirectory(prefix="warpwright-wine-", ignore_cleanup_errors=True) as prefix:
        environment = {**os.environ, "WINEPREFIX": prefix, "WINEDEBUG": "-all"}

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([wine, *words], env=environment, capture_output=True, text=True, check=False)

        version = run(str(PROGRAM), "--version")
        if version.returncode != 0 or not version.stdout.startswith("warpwright-harness "):
            faults.append(f"--version: exit code {version.returncode}, {version.stdout!r}")
        properties = run(str(PROGRAM), "properties")
        if properties.returncode != NO_DRIVER or "no NVIDIA driver: nvcuda.dll" not in properties.stderr:
            faults.append(f"properties: exit code {properties.returncode}, {properties.stderr!r}")
        tests = run(str(ROOT / "build" / "mingw" / "harness" / "tests" / "harness-tests.exe"))
        print(tests.stdout)
        if tests.returncode != 0:
            faults.append(f"harness-tests: exit code {tests.returncode}")
    return faults


def main() -> int:
    """0 if everything that can be tried works."""
    if shutil.which(COMPILER) is None or shutil.which("cmake") is None:
        print(f"needs cmake and {COMPILER}; see the first lines of this script", file=sys.stderr)
        return 1
    if not build():
        return 1
    wine = find_wine()
    if wine is None:
        print("built; not run: no Wine on PATH")
        return 0
    faults = try_it(wine)
    for fault in faults:
        print(f"failed: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
