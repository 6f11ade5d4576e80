"""Opens a GPU by its words, or says exactly what is missing."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from warpwright.device.driver import Driver, find_driver
from warpwright.device.gpu.device import GpuDevice, OpenedGpu
from warpwright.device.gpu.process.connection import (
    Connection,
    HarnessOptions,
    command_connection,
    connect,
    local_connection,
    temporary_folder,
    without_sandbox,
)
from warpwright.device.gpu.properties import index_of
from warpwright.errors import DeviceUnavailable, UsageError
from warpwright.isolation.owned_folder import OwnedFolder

OLDEST_CUDA = (11, 8)
"""cuLaunchKernelEx came with it."""


def open_gpu(which: str, options: HarnessOptions) -> GpuDevice:
    """The GPU of `gpu:WHICH`. which: an index, or a UUID as nvidia-smi prints it (its beginning is enough).

    Raises: UsageError for other words; DeviceUnavailable with what is missing and its remedy.
    """
    check_word(which)
    name = f"gpu:{which}"
    with ExitStack() as undo:
        folder = undo.enter_context(temporary_folder())
        try:
            index = _index(which, name, folder.path, options)
            connection = local_connection(name, index, folder.path, options)
            opened = _connected(connection, folder, options)
        except DeviceUnavailable as error:
            explained = absence(name, which, find_driver(options.driver))
            raise (error if explained is None else DeviceUnavailable(explained)) from error
        undo.pop_all()
    return _checked(opened)


def open_command(text: str, options: HarnessOptions) -> GpuDevice:
    """The GPU behind a command. Raises: DeviceUnavailable."""
    connection = command_connection(text, options)
    client, hello = connect(connection)
    return _checked(OpenedGpu(connection, hello, client))


def _connected(connection: Connection, folder: OwnedFolder, options: HarnessOptions) -> OpenedGpu:
    """Inside bubblewrap if the driver works there; if it works outside only, the connection says so."""
    try:
        client, hello = connect(connection)
    except DeviceUnavailable as inside:
        if connection.sandbox != "bubblewrap":
            raise
        connection = without_sandbox(connection, connection.name, folder.path, options, _one_line(inside))
        client, hello = connect(connection)
    return OpenedGpu(connection, hello, client, folder)


def _checked(opened: OpenedGpu) -> GpuDevice:
    cuda = opened.hello.cuda
    if cuda >= OLDEST_CUDA:
        return GpuDevice(opened)
    opened.client.kill()
    if opened.temporary is not None:
        opened.temporary.remove()
    raise DeviceUnavailable(_too_old(opened.connection.name, cuda))


def _index(which: str, name: str, temporary: Path, options: HarnessOptions) -> int:
    if which.isdecimal():
        return int(which)
    return index_of(which, local_connection(name, 0, temporary, replace(options, sandboxed=False)))


def check_word(which: str) -> None:
    """Raises: UsageError for what is neither an index nor the beginning of a UUID."""
    if which.isdecimal() or which.upper().startswith("GPU-"):
        return
    raise UsageError(
        f"--device gpu:{which}: {which or 'nothing'} is no GPU. Name one by its index (gpu:0) or its UUID (gpu:GPU-...), "
        "several that are equal with commas between (gpu:0,1), or all (gpu:all)."
    )


def absence(name: str, which: str, driver: Driver) -> str | None:
    """Why there is no such GPU, if the driver knows. name: as in --device. which: an index or a UUID."""
    if not driver.present:
        return (
            f"--device {name}: NVIDIA's driver is not installed here. Install it on a machine with a GPU, or use "
            "--device emulator."
        )
    if driver.problem is not None:
        return f"--device {name}: {driver.problem}. Check the driver with nvidia-smi; after an update, restart."
    if driver.cuda is not None and driver.cuda < OLDEST_CUDA:
        return _too_old(name, driver.cuda)
    if not driver.gpus:
        return f"--device {name}: the driver sees no GPU. Check with nvidia-smi and CUDA_VISIBLE_DEVICES."
    if which.isdecimal() and int(which) >= len(driver.gpus):
        known = ", ".join(f"gpu:{index} ({gpu})" for index, gpu in enumerate(driver.gpus))
        return f"--device {name}: there is no such GPU; there are {known}."
    return None


def _too_old(name: str, cuda: tuple[int, int]) -> str:
    return (
        f"--device {name}: the driver is too old: it serves CUDA {cuda[0]}.{cuda[1]}, needed is "
        f"{OLDEST_CUDA[0]}.{OLDEST_CUDA[1]} or newer. Update NVIDIA's driver (520 or newer)."
    )


def _one_line(error: DeviceUnavailable) -> str:
    return " ".join(str(error).split())[:300]
