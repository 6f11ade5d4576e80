"""Loads a candidate's module together with the variables whose first contents are restored between blocks of timing."""

import logging

from warpwright.device.gpu.cubin import writable_variables
from warpwright.device.gpu.process.client import HarnessClient, HarnessError
from warpwright.device.gpu.process.pool import load
from warpwright.device.protocol import Program

_UNKNOWN_VARIABLE = ": the cubin has no variable "
"""In the words of the harness; the name follows."""
_LOGGER = logging.getLogger(__name__)


def load_restoring(client: HarnessClient, name: str, program: Program) -> tuple[str, ...]:
    """Variables that cannot be restored: drivers need not find those with internal linkage by name.

    Raises: HarnessError, WorkerEnded.
    """
    symbols = tuple(dict.fromkeys(program.lowered.values()))
    variables = list(writable_variables(program.cubin))
    missing: list[str] = []
    while True:
        try:
            load(client, name, program.cubin, symbols, tuple(variables))
        except HarnessError as error:
            unknown = error.error.message.partition(_UNKNOWN_VARIABLE)[2]
            if unknown not in variables:
                raise
            variables.remove(unknown)
            missing.append(unknown)
        else:
            break
    if missing:
        _LOGGER.info("module %s: the driver does not find %s, so they are not restored", name, ", ".join(missing))
    return tuple(missing)
