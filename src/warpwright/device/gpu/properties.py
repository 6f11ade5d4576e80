"""Every GPU of this machine, as `warpwright-harness properties` lists them."""

import json
import subprocess

from pydantic import ValidationError

from warpwright.device.gpu.process.connection import Connection
from warpwright.device.gpu.wire.replies import Message
from warpwright.errors import DeviceUnavailable

_TIME_LIMIT_S = 60.0


class GpuProperties(Message):
    """One GPU. capabilities: True, or why not."""

    name: str
    uuid: str
    pci_bus_id: str
    compute_capability: list[int]
    total_memory_bytes: int
    attributes: dict[str, int | None]
    capabilities: dict[str, bool | str]


class Properties(Message):
    """devices: by index."""

    devices: list[GpuProperties]


def properties(connection: Connection) -> Properties:
    """What the harness of a connection lists. Raises: DeviceUnavailable with its last words."""
    arguments = ["properties" if word == "serve" else word for word in connection.command.arguments]
    try:
        ended = subprocess.run(
            arguments,
            env=dict(connection.command.environment),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIME_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DeviceUnavailable(
            f"--device {connection.name}: {arguments[0]} did not list the GPUs: {error}."
        ) from error
    if ended.returncode != 0:
        said = ended.stderr.strip() or f"exit code {ended.returncode}"
        raise DeviceUnavailable(f"--device {connection.name}: the harness did not list the GPUs: {said}")
    try:
        return Properties.model_validate(json.loads(ended.stdout))
    except (ValueError, ValidationError) as error:
        raise DeviceUnavailable(
            f"--device {connection.name}: the harness listed the GPUs in another form than ours: {error}"
        ) from error


def index_of(uuid: str, connection: Connection) -> int:
    """Index of the GPU whose UUID begins like that. Raises: DeviceUnavailable naming those that there are."""
    listed = properties(connection).devices
    found = [index for index, gpu in enumerate(listed) if gpu.uuid.lower().startswith(uuid.lower())]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{gpu.uuid} ({gpu.name})" for gpu in listed) or "none"
    which = "is no GPU" if not found else "is the beginning of several GPUs"
    raise DeviceUnavailable(f"--device gpu:{uuid} {which} of this machine; there are {known}.")
