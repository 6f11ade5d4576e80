"""Building the harness by itself: what is refused, and what a compiler's failure says."""

import shutil
import subprocess
from pathlib import Path

import pytest

from warpwright.device.harness_build import build_harness, checkout
from warpwright.errors import InputError, ToolchainUnavailable

VERSION_ONLY = """
cmake_minimum_required(VERSION 3.24)
project(small LANGUAGES CXX)
add_subdirectory(harness)
"""
PROGRAM = """
add_executable(warpwright-harness main.cpp)
install(TARGETS warpwright-harness RUNTIME DESTINATION bin COMPONENT harness)
"""

needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake on PATH")


def source_tree(folder: Path, program: str) -> Path:
    """A tree of the shape of Warpwright's whose program is one file."""
    (folder / "harness").mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(VERSION_ONLY)
    (folder / "harness" / "CMakeLists.txt").write_text(PROGRAM)
    (folder / "harness" / "main.cpp").write_text(program)
    return folder


@needs_cmake
def test_the_program_of_a_source_tree_is_built_and_installed(tmp_path: Path) -> None:
    source = source_tree(tmp_path / "source", '#include <cstdio>\nint main() { std::puts("built"); }\n')
    program = build_harness(source, tmp_path / "prefix")
    assert program.parent == tmp_path / "prefix" / "bin"
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "built\n"


@needs_cmake
def test_a_failed_build_shows_what_the_compiler_said(tmp_path: Path) -> None:
    source = source_tree(tmp_path / "source", "#error no such machine\n")
    with pytest.raises(ToolchainUnavailable, match="no such machine"):
        build_harness(source, tmp_path / "prefix")
    assert not (tmp_path / "prefix").exists()


def test_what_is_no_source_tree_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Name one by --source"):
        build_harness(tmp_path, tmp_path)


def test_without_cmake_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainUnavailable, match="pip install cmake ninja"):
        build_harness(source_tree(tmp_path / "source", ""), tmp_path)


def test_the_tests_run_from_a_checkout() -> None:
    assert checkout() == Path(__file__).parents[2]
