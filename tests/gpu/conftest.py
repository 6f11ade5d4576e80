"""Tests that need an NVIDIA GPU: skipped, with the reason, where none can be used."""

from collections.abc import Iterator

import pytest
from benchmarks.measurement.machine import Machine, opened

from warpwright.device.driver import find_driver
from warpwright.device.gpu.process.locate import find_harness
from warpwright.errors import DeviceUnavailable

DEVICE = "gpu:0"


def missing() -> str | None:
    """Why there is no GPU to test on; None if there is one."""
    driver = find_driver()
    if not driver.gpus:
        return driver.problem or "no NVIDIA GPU"
    from benchmarks.measurement.machine import harness_options

    try:
        find_harness(harness_options().harness)
    except DeviceUnavailable as error:
        return str(error)
    return None


@pytest.fixture(scope="session", autouse=True)
def device() -> str:
    """Words of `--device`."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    return DEVICE


@pytest.fixture(scope="session")
def machine(device: str) -> Iterator[Machine]:
    with opened(device) as machine:
        yield machine
