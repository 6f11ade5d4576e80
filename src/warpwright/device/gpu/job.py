"""A run of a plan as a file for `warpwright-harness run-once`: what tools that watch a whole process are given."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from warpwright.device.gpu.own_kernels import OWN_MODULE, OwnKernels
from warpwright.device.gpu.process.connection import SCHEMA
from warpwright.device.gpu.wire.attachments import Attachment
from warpwright.device.gpu.wire.messages import Message
from warpwright.device.gpu.wire.run import run_message
from warpwright.device.protocol import Array, RunRequest

JOB_FILE = "run.job"
_CANDIDATE = "candidate"
_NONCE = "0" * 32


def write_job(request: RunRequest, kernels: OwnKernels, device: int, folder: Path) -> Path:
    """The requests that `serve` would get, with their attachments. device: index of the GPU. Returns the file.

    Nothing but the plan and, where the device makes inputs by itself, our generator is launched: no shared memory is filled,
    memory is plain, and no output comes back. Raises: OSError if the file cannot be written.
    """
    fields, attachments = run_message(replace(request, least_alignment=False), _CANDIDATE)
    fields = {**fields, "plain_memory": True, "fill_shared": False, "return": []}
    symbols = tuple(dict.fromkeys(request.program.lowered.values()))
    messages: list[tuple[str, dict[str, Any], list[Array]]] = [
        ("hello", {"schema": SCHEMA, "device": device, "nonce": _NONCE}, []),
        ("open", {}, []),
        _load(OWN_MODULE, kernels.cubin, kernels.symbols),
        _load(_CANDIDATE, request.program.cubin, symbols),
        ("run", fields, attachments),
    ]
    path = folder / JOB_FILE
    with path.open("wb") as stream:
        for number, (operation, body, arrays) in enumerate(messages, 1):
            Message({"id": number, "op": operation, **body}, [Attachment(each) for each in arrays]).send(stream, None)
    return path


def plan_symbols(request: RunRequest) -> tuple[str, ...]:
    """Names under which the driver knows the kernels of the plan, in order of launch; one that is launched twice twice."""
    return tuple(request.program.lowered[launch.entry] for launch in request.plan.launches)


def _load(name: str, cubin: bytes, symbols: tuple[str, ...]) -> tuple[str, dict[str, Any], list[Array]]:
    return ("load", {"name": name, "symbols": list(symbols), "globals": []}, [np.frombuffer(cubin, np.uint8)])
