"""What a candidate's source may not say under this workload, decided before it is compiled."""

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.source import parse_source
from warpwright.compiler.policy import IncludePolicy, check_options
from warpwright.evaluation.failure import Failure
from warpwright.workload.model import Workload

_FORMS_ONLY = IncludePolicy(None)


def check_source(candidate: Candidate) -> str | None:
    """What the compiler will refuse unseen, in its words, except for headers that do not exist; None if it refuses nothing.

    Needs no compiler: for callers that have none.
    """
    message = check_options(candidate.options, candidate.values())
    if message is not None:
        return message
    refusal = _FORMS_ONLY.check(candidate.source, candidate.source_name, candidate.headers)
    if refusal is None:
        return None
    place = refusal.file if refusal.line is None else f"{refusal.file}({refusal.line})"
    return f"{place}: {refusal.message}"


def check_policy(workload: Workload, candidate: Candidate) -> Failure | None:
    """Refuse `__restrict__` on arrays that the workload declares as aliases of each other (V24)."""
    aliased = [a for a in workload.arrays if a.alias is not None]
    if not aliased:
        return None
    source = parse_source(candidate.source, candidate.source_name)
    names = [parameter.name for parameter in workload.parameters]
    for launch in candidate.plan.launches:
        kernel = next((k for k in source.kernels if k.name == launch.entry.partition("<")[0]), None)
        passed = launch.args or (*names, *(scratch.name for scratch in candidate.plan.scratch))
        for given, parameter in zip(passed, kernel.parameters if kernel else (), strict=False):
            pair = next((a for a in aliased if given in (a.name, a.alias)), None)
            if pair is not None and parameter.restrict:
                text = (
                    f"{candidate.source_name}: parameter {parameter.name} of {launch.entry} is __restrict__, but the "
                    f"workload lets {pair.name} alias {pair.alias}. Remove __restrict__ there."
                )
                return Failure("invalid_plan.policy", text, kernel.line if kernel else None)
    return None
