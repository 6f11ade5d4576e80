"""Results that depend on memory the candidate never wrote or does not own, or that change from run to run (V21, V22, V26)."""

from enum import StrEnum

from warpwright.verifier.evidence import GUARDS, POISONS, Evidence, PoisonedRun, same_outputs
from warpwright.verifier.verdict import Finding


class _Cause(StrEnum):
    """What a result varies with, as notes word it."""

    OLD_CONTENTS = "with what the memory held before"
    BEYOND = "with what lies beyond the arrays"
    RUN = "between runs"


class Stability:
    """Two fills of memory must give the same result within tolerance; further runs tell why if they do not."""

    name = "stability"

    def examine(self, evidence: Evidence) -> tuple[Finding, ...]:
        """The cause where a run is beyond tolerance, else a note that runs differ."""
        if evidence.other_guard is None or len(evidence.runs) < len(POISONS):
            return ()
        cause = _cause(evidence, evidence.other_guard)
        further = [run for run in (evidence.other_guard, evidence.repeat) if run is not None]
        if all(run.passed for run in (*evidence.runs, *further)):
            return (Finding(self.name, None, f"{evidence.where}: results differ {cause}, within tolerance"),)
        label, text = _VERDICTS[cause]
        return (Finding(self.name, label, f"{evidence.where}: {text}"),)


def _cause(evidence: Evidence, other_guard: PoisonedRun) -> _Cause:
    first = evidence.runs[0]
    if same_outputs(evidence.workload, first, other_guard):
        return _Cause.OLD_CONTENTS
    if evidence.repeat is not None and same_outputs(evidence.workload, first, evidence.repeat):
        return _Cause.BEYOND
    return _Cause.RUN


UNSTABLE = (
    "two runs with the same inputs give results that differ beyond tolerance. "
    "Look for a race: a missing barrier, or a read-modify-write that is not atomic. State that a launch leaves for the next "
    "one (in module variables, or in scratch that is read before it is written) looks the same."
)
_UNINITIALISED = (
    "the result depends on what outputs or scratch held before the launch (fill "
    f"0x{POISONS[0]:02X} and 0x{POISONS[1]:02X} give different results). Write every element before it is read."
)
_BEYOND = (
    f"the result depends on what lies beyond the arrays (0x{GUARDS[0]:02X} and 0x{GUARDS[1]:02X} there give different "
    "results): some load is out of bounds, of an array that is not known. Check indices and guards of every load."
)
_VERDICTS = {
    _Cause.OLD_CONTENTS: ("wrong_result.uninitialised_read", _UNINITIALISED),
    _Cause.BEYOND: ("wrong_result.oob_read", _BEYOND),
    _Cause.RUN: ("unstable.run_to_run", UNSTABLE),
}
