"""Versions that a record keeps, so that a figure can be taken again."""

import platform
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = ("warpwright", "langgraph", "numpy", "llvmlite", "nvidia-cuda-nvrtc")


def versions() -> dict[str, str]:
    """Package versions, Python, platform and the git revision of a source checkout; a missing package is left out."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    revision = _git_revision()
    if revision:
        found["git"] = revision
    return found


def _git_revision() -> str | None:
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.strip() or None
