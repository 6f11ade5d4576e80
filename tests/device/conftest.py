from collections.abc import Iterator

import pytest

from warpwright.compiler.compiler import Compiler
from warpwright.device.emulated.device import EmulatedDevice, EmulatorOptions
from warpwright.emulator import jit
from warpwright.emulator.launch.api import ExecutorKind
from warpwright.hardware import load_gpu

EXECUTORS = [ExecutorKind.INTERP, *([ExecutorKind.JIT] if jit.available() is None else [])]


@pytest.fixture(scope="session")
def compiler() -> Iterator[Compiler]:
    with Compiler(None) as opened:
        yield opened


@pytest.fixture(scope="session", params=EXECUTORS, ids=[kind.value for kind in EXECUTORS])
def device(request: pytest.FixtureRequest) -> Iterator[EmulatedDevice]:
    """One worker for all tests: what a test does to it must not be felt by the next."""
    with EmulatedDevice(load_gpu("h200"), EmulatorOptions(request.param)) as opened:
        yield opened
