"""Makes the stand-in of compute-sanitizer a program of its own."""

import json
import shutil
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("fake_compute_sanitizer.py")


def install(folder: Path, options: str = "full", only_with: str | None = None, **say: str) -> Path:
    """An executable that says `say[tool]` of each tool, `clean` of the others."""
    folder.mkdir(parents=True, exist_ok=True)
    copied = folder / "fake_compute_sanitizer.py"
    shutil.copy(SOURCE, copied)
    plan = {"help": options, "say": say, "only_with": only_with}
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    program = folder / "compute-sanitizer"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{copied}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return program
