"""Inputs that the candidate changed (V23); the oracle reads the host copy, so this cannot make a wrong result right."""

from math import prod

import numpy as np

from warpwright.device.protocol import Modified
from warpwright.verifier.evidence import Evidence
from warpwright.verifier.verdict import Finding
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import ArrayParameter, Role


class InputsUnchanged:
    """Reads what the device found when it compared every `in` array, byte by byte, with what went in."""

    name = "inputs_unchanged"

    def examine(self, evidence: Evidence) -> tuple[Finding, ...]:
        """One finding per changed input, from the first run in which it changed."""
        changes: dict[str, Modified] = {}
        for run in evidence.runs:
            for modified in run.modified:
                changes.setdefault(modified.name, modified)
        inputs = [array for array in evidence.workload.arrays if array.role is Role.IN and array.name in changes]
        return tuple(
            Finding(self.name, "wrong_result.input_modified", _text(evidence, array, changes[array.name]))
            for array in inputs
        )


def _text(evidence: Evidence, array: ArrayParameter, change: Modified) -> str:
    shape, size = evidence.arguments.shapes[array.name], element_type(array.dtype).size_bytes
    index = ", ".join(str(int(i)) for i in np.unravel_index(change.first_byte // size, shape))
    return (
        f"{evidence.where}: {change.bytes} of {prod(shape) * size} bytes of input {array.name} were changed "
        f"(first: {array.name}[{index}]). Inputs are read only; write to an output or scratch."
    )
