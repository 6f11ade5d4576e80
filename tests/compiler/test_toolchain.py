from pathlib import Path

import pytest

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.compiler.toolchain import TOOLKIT, find_nvrtc
from warpwright.errors import ToolchainUnavailable

REMEDY = "Install it with: pip install 'warpwright[cuda13]' (drivers older than 580: 'warpwright[cuda12]')."


def test_the_wheel_is_found_with_its_headers_and_targets() -> None:
    found = find_nvrtc()
    assert found.version[0] >= 12
    assert 90 in found.supported_archs
    assert any((directory / "cuda_fp16.h").is_file() for directory in found.include_directories)
    assert Path(found.path).is_file()


def test_a_named_library_is_used_and_nothing_else(tmp_path: Path) -> None:
    named = find_nvrtc(find_nvrtc().path)
    assert named.origin == "named library"
    assert named.include_directories == find_nvrtc().include_directories
    with pytest.raises(ToolchainUnavailable) as missing:
        find_nvrtc(str(tmp_path / "libnvrtc.so"))
    assert str(missing.value) == (
        "NVRTC, the CUDA compiler library, was not found. Tried:\n"
        f"  named library: none in {tmp_path / 'libnvrtc.so'}\n{REMEDY}"
    )


def test_a_library_that_does_not_load_is_reported_in_the_loaders_words(tmp_path: Path) -> None:
    path = tmp_path / "libnvrtc.so.13"
    path.write_bytes(b"not a library")
    with pytest.raises(ToolchainUnavailable) as broken:
        find_nvrtc(str(path))
    text = str(broken.value)
    assert f"  named library: {path} does not load: " in text
    assert "file too short" in text or "invalid ELF header" in text


def test_a_toolkit_without_the_library_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolchainUnavailable) as missing:
        find_nvrtc(TOOLKIT, tmp_path / "cuda-99")
    assert f"  toolkit cuda-99: none in {tmp_path / 'cuda-99'}\n" in str(missing.value)


def test_an_installed_toolkit_compiles_when_asked() -> None:
    try:
        found = find_nvrtc(TOOLKIT)
    except ToolchainUnavailable:
        pytest.skip("no CUDA toolkit on this machine")
    with Compiler(None, nvrtc=TOOLKIT) as compiler:
        assert compiler.nvrtc == found
        source = '#include <cuda_fp16.h>\nextern "C" __global__ void k(half* x) { x[0] = x[1] + x[2]; }\n'
        outcome = compiler.compile(CompileRequest(source, "k.cu", "sm_90", ("k",), defines={}, headers={}))
        assert isinstance(outcome, Compiled), outcome


def test_a_compiler_newer_than_the_driver_is_passed_over() -> None:
    have = find_nvrtc()
    assert find_nvrtc(newest=have.version) == have
    assert (
        find_nvrtc(newest=(have.version[0], 0)) == have
    )  # binaries of one major version are understood by its drivers
    with pytest.raises(ToolchainUnavailable) as refused:
        find_nvrtc(newest=(have.version[0] - 1, 8))
    text = f"is of CUDA {have.version[0]}.{have.version[1]}; the driver serves CUDA {have.version[0] - 1}.8 and no newer major"
    assert text in str(refused.value)
    assert "warpwright[cuda12]" in str(refused.value)
