"""Inputs that the candidate changed (V23); the oracle reads the host copy, so this cannot make a wrong result right."""

import numpy as np

from warpwright.verifier.evidence import Evidence, bytes_of, same_bytes
from warpwright.verifier.verdict import Finding
from warpwright.workload.model import Role


class InputsUnchanged:
    """Compares every `in` array byte by byte with what went in."""

    name = "inputs_unchanged"

    def examine(self, evidence: Evidence) -> tuple[Finding, ...]:
        """One finding per changed input, from the first run in which it changed."""
        findings = []
        for parameter in evidence.workload.arrays:
            before = evidence.arguments.inputs.get(parameter.name)
            if parameter.role is not Role.IN or before is None:
                continue
            for run in evidence.runs:
                after = run.arrays[parameter.name]
                if not same_bytes(before, after):
                    changed = (bytes_of(before) != bytes_of(after)).reshape(-1, before.dtype.itemsize).any(axis=1)
                    flat = int(np.flatnonzero(changed)[0])
                    index = ", ".join(str(int(i)) for i in np.unravel_index(flat, before.shape))
                    text = (
                        f"{evidence.where}: {int(changed.sum())} of {before.size} elements of input {parameter.name} "
                        f"were changed (first: {parameter.name}[{index}]). Inputs are read only; write to an output or scratch."
                    )
                    findings.append(Finding(self.name, "wrong_result.input_modified", text))
                    break
        return tuple(findings)
