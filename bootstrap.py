"""One command on a fresh machine: make .venv with a usable CPython 3.12+ and install Warpwright into it.

    python3 bootstrap.py [EXTRA ...]      default extra: dev      (Windows: py bootstrap.py)

Runs itself on Python 3.7 or newer and needs nothing installed. WARPWRIGHT_PYTHON names the interpreter to use.
"""

import glob
import os
import shutil
import subprocess
import sys

WANTED = [(3, 12), (3, 13), (3, 14)]  # in order of preference
PROBE = (
    "import sys, ssl, venv, ensurepip, sqlite3;"
    "sqlite3.connect(':memory:').execute('create virtual table t using fts5(a)');"
    "print(*sys.version_info[:2], sys.executable)"
)
HOME = os.path.expanduser("~")
PLACES = [
    os.path.join(os.environ.get("PYENV_ROOT", HOME + "/.pyenv"), "versions/{v}*/bin/python"),
    HOME + "/.asdf/installs/python/{v}*/bin/python",
    HOME + "/.local/share/mise/installs/python/{v}*/bin/python",
    HOME + "/.local/share/uv/python/cpython-{v}*/bin/python3",
    "/opt/python/{v}*/bin/python3",
    "/usr/local/bin/python{v}",
    "/usr/bin/python{v}",
    os.path.join(os.environ.get("LOCALAPPDATA", HOME), "Programs/Python/Python{n}/python.exe"),
]


def usable(path):
    """The real executable behind a path, or None. A version manager's shim that refuses to run ends here too."""
    try:
        run = subprocess.run([path, "-I", "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30)
        major, minor, executable = run.stdout.decode().split(None, 2)
        return executable.strip() if run.returncode == 0 and (int(major), int(minor)) in WANTED else None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def find_python():
    """The first usable interpreter: named, running, on PATH, or where version managers keep them."""
    named = os.environ.get("WARPWRIGHT_PYTHON")
    if named:
        return usable(named) or sys.exit(
            "WARPWRIGHT_PYTHON=%s is not a CPython 3.12-3.14 with venv and SQLite FTS5" % named
        )
    candidates = [sys.executable]
    for major, minor in WANTED:
        version = "%d.%d" % (major, minor)
        candidates.append(shutil.which("python" + version))
        for place in PLACES:
            candidates += sorted(glob.glob(place.format(v=version, n="%d%d" % (major, minor))), reverse=True)
    for path in candidates:
        found = usable(path) if path else None
        if found:
            return found
    sys.exit(
        "no CPython 3.12-3.14 with venv and SQLite FTS5 found; install one, or set WARPWRIGHT_PYTHON=/path/to/python"
    )


def say(text):
    """One line for each step, at once: the slow ones must not look like a hang."""
    print("bootstrap: %s" % text)
    sys.stdout.flush()


def main():
    """Make or mend .venv beside this file, then install."""
    root = os.path.dirname(os.path.abspath(__file__))
    venv = os.path.join(root, ".venv")
    python = os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")
    if not usable(python):
        shutil.rmtree(venv, ignore_errors=True)
        chosen = find_python()
        say("making .venv with %s" % chosen)
        subprocess.check_call([chosen, "-m", "venv", venv])
    pip = [python, "-m", "pip"]
    if subprocess.call(pip + ["--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        subprocess.check_call([python, "-m", "ensurepip"])  # a .venv made by uv has no pip
    extras = ",".join(sys.argv[1:] or ["dev"])
    say("installing Warpwright [%s] into .venv and compiling its GPU harness; a minute or two" % extras)
    subprocess.check_call(pip + ["install", "--quiet", "-c", "constraints.txt", "-e", ".[%s]" % extras], cwd=root)
    probe = "from warpwright.device.gpu.process.locate import find_harness; find_harness()"
    if subprocess.call([python, "-c", probe], stderr=subprocess.DEVNULL):
        say(
            "The GPU harness was not built: CMake found no C++17 compiler, or compiling failed. The emulator works without it; "
            "for a GPU run `warpwright build-harness`, which says why."
        )
    say("done: %s" % os.path.join(os.path.dirname(python), "warpwright"))


if __name__ == "__main__":
    main()
