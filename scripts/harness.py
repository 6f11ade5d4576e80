"""Builds the C++ parts with their tests, as pytest uses them too, and runs ctest. Options go to CMake: `-G Xcode`."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "harness-tests"  # tests/harness/building.py finds it there


def main() -> int:
    """Exit code of the first command that fails, else 0."""
    cmake, ctest = shutil.which("cmake"), shutil.which("ctest")
    if cmake is None or ctest is None:
        print("no cmake on PATH: install CMake 3.24 or newer, for instance `pip install cmake ninja`", file=sys.stderr)
        return 1
    generator = ["-G", "Ninja"] if shutil.which("ninja") and "-G" not in sys.argv else []
    configure = [cmake, "-S", str(ROOT), "-B", str(BUILD), *generator, *sys.argv[1:]]
    build = [cmake, "--build", str(BUILD), "--config", "Release"]
    test = [ctest, "--test-dir", str(BUILD), "-C", "Release", "--output-on-failure"]
    for command in (configure, build, test):
        print("$", Path(command[0]).name, *command[1:], flush=True)
        if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
