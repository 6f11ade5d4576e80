import sys
from pathlib import Path

import pytest

from warpwright.profiler.sanitizer import locate
from warpwright.profiler.sanitizer.locate import find_compute_sanitizer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are made by chmod")


def program(folder: Path) -> Path:
    folder.mkdir(parents=True)
    path = folder / "compute-sanitizer"
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any toolkit."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(locate, "_TOOLKITS", ())
    monkeypatch.setattr(locate, "_VERSIONED", ((str(tmp_path / "local"), "cuda-*"),))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])


def test_a_named_one_is_used_alone(tmp_path: Path) -> None:
    program(tmp_path / "bin")
    assert find_compute_sanitizer(named := program(tmp_path / "mine")) == named
    told = find_compute_sanitizer(tmp_path / "nowhere")
    assert told == f"{tmp_path / 'nowhere'} is no program that can be run. Check WARPWRIGHT_COMPUTE_SANITIZER."


def test_path_comes_before_toolkits(tmp_path: Path) -> None:
    on_path = program(tmp_path / "bin")
    program(tmp_path / "local" / "cuda-13.0" / "bin")
    assert find_compute_sanitizer() == on_path


def test_the_newest_toolkit_wins(tmp_path: Path) -> None:
    for version in ("9.2", "13.0", "12.9"):
        program(tmp_path / "local" / f"cuda-{version}" / "bin")
    assert find_compute_sanitizer() == tmp_path / "local" / "cuda-13.0" / "bin" / "compute-sanitizer"


def test_none_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "_wheel_folders", lambda: iter(()))
    told = find_compute_sanitizer()
    assert isinstance(told, str)
    assert "pip install nvidia-cuda-sanitizer-api" in told
