"""The invented Nsight Compute as a program, and GPUs on the stand-in driver whose runs it watches."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from device.gpu.conftest import built, compiler, gpu, standin

__all__ = ["built", "compiler", "gpu", "standin"]

MakeNcu = Callable[..., Path]


@pytest.fixture
def make_ncu(tmp_path: Path) -> MakeNcu:
    """make_ncu(version="2024.1", ...): a program with those settings."""
    if sys.platform == "win32":
        pytest.skip("the invented ncu is a script with a #! line")

    def make(**settings: Any) -> Path:
        folder = tmp_path / f"ncu{len(list(tmp_path.glob('ncu*')))}"
        folder.mkdir()
        program = folder / "ncu"
        code = (Path(__file__).parent / "fake_ncu.py").read_text(encoding="utf-8")
        program.write_text(f"#!{sys.executable} -I\n{code}", encoding="utf-8")
        program.chmod(0o755)
        (folder / "ncu.json").write_text(json.dumps(settings), encoding="utf-8")
        return program

    return make


def asked(program: Path) -> dict[str, list[str]]:
    """Options of the last profiled run."""
    found: dict[str, list[str]] = json.loads((program.parent / "asked.json").read_text(encoding="utf-8"))
    return found
