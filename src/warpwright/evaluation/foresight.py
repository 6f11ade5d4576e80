"""Which host values a session will ask for, so that they are computed while something else goes on."""

from collections.abc import Sequence

from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.model import Case, CaseKind


def prefetch_values(
    values: HostValues, seeds: SeedPool, cases: Sequence[Case], identity: str, seeds_per_case: int
) -> None:
    """Start with what the first attempt is verified with, then what it is timed with, then what later ones are verified with.

    cases: in the order of verification. identity: of the first candidate.
    """
    for case in cases:
        values.prefetch(case, seeds.draw(case, identity, seeds_per_case))
    for case in cases:
        if case.kind is CaseKind.PERF:
            values.prefetch(case, seeds.clock_pool(case))
    for case in cases:
        values.prefetch(case, seeds.verification_pool(case))
