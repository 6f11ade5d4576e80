"""GPUs without a GPU: the real harness binary on the stand-in driver, whose settings lie beside a copy of the library."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.building import BuildUnavailable, Built, build
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.registry import DeviceOptions, open_device

SMALL_GPU = {"l2_bytes": 1 << 20, "memory_bytes": 512 << 20}
OpenGpu = Callable[..., GpuDevice]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Copies: a build that goes on meanwhile must not change the program under a test."""
    try:
        found = build()
    except BuildUnavailable as missing:
        pytest.skip(f"the harness cannot be built: {missing}")
    folder = tmp_path_factory.mktemp("built")
    copies = [Path(shutil.copy(path, folder)) for path in (found.harness, found.driver, found.old_driver)]
    return Built(*copies)


@pytest.fixture(scope="session")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    """Keeps what it compiled: each test opens a GPU of its own."""
    with Compiler(tmp_path_factory.mktemp("compiled")) as opened:
        yield opened


@pytest.fixture
def standin(built: Built, tmp_path: Path) -> Callable[..., DeviceOptions]:
    """Options of a device whose driver is a stand-in with those settings."""

    def make(**settings: Any) -> DeviceOptions:
        folder = tmp_path / f"driver{len(list(tmp_path.glob('driver*')))}"
        folder.mkdir()
        library = folder / built.driver.name
        shutil.copy(built.driver, library)
        Path(f"{library}.json").write_text(json.dumps(SMALL_GPU | settings), encoding="utf-8")
        return DeviceOptions(driver=library, harness=built.harness)

    return make


@pytest.fixture
def gpu(standin: Callable[..., DeviceOptions], compiler: Compiler) -> Iterator[OpenGpu]:
    """Opens a prepared GPU with those settings of the stand-in; all are closed at the end."""
    opened: list[GpuDevice] = []

    def make(**settings: Any) -> GpuDevice:
        device = open_device("gpu:0", standin(**settings))
        assert isinstance(device, GpuDevice)
        opened.append(device)
        device.prepare(compiler)
        return device

    yield make
    for device in opened:
        device.close()
