"""Results that depend on memory the candidate never wrote, or that change from run to run (V21, V26)."""

from warpwright.verifier.evidence import POISONS, Evidence, same_outputs
from warpwright.verifier.verdict import Finding


class Stability:
    """Two poison patterns must give the same result within tolerance; a third run tells why if they do not."""

    name = "stability"

    def examine(self, evidence: Evidence) -> tuple[Finding, ...]:
        """`uninitialised_read` or `unstable.run_to_run` where a run is beyond tolerance, else a note that runs differ."""
        if evidence.repeat is None or len(evidence.runs) < len(POISONS):
            return ()
        first, second, repeat = *evidence.runs[:2], evidence.repeat
        repeatable = same_outputs(evidence.workload, first, repeat)
        if first.passed and second.passed and repeat.passed:
            cause = "with what the memory held before" if repeatable else "between runs"
            return (Finding(self.name, None, f"{evidence.where}: results differ {cause}, within tolerance"),)
        if repeatable:
            text = (
                f"{evidence.where}: the result depends on what outputs or scratch held before the launch (fill 0x"
                f"{POISONS[0]:02X} and 0x{POISONS[1]:02X} give different results). Write every element before it is read."
            )
            return (Finding(self.name, "wrong_result.uninitialised_read", text),)
        text = (
            f"{evidence.where}: two runs with the same inputs give results that differ beyond tolerance. "
            "Look for a race: a missing barrier, or a read-modify-write that is not atomic."
        )
        return (Finding(self.name, "unstable.run_to_run", text),)
