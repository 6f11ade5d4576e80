"""What is computed ahead, and in which order."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

from warpwright.evaluation.foresight import prefetch_values
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import POOL_SIZE, VERIFICATION_POOL_SIZE, SeedPool
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Case, CaseKind

EXAMPLES = Path(__file__).parents[2] / "examples"


class Noted:
    """Writes down what is wanted."""

    def __init__(self) -> None:
        self.wanted: list[tuple[str, int]] = []

    def prefetch(self, case: Case, seeds: Iterable[int]) -> None:
        self.wanted += [(case.name, seed) for seed in seeds]


def test_the_first_attempt_comes_first_then_its_timing_then_later_attempts() -> None:
    cases = load_workload(EXAMPLES / "softmax").cases
    checked, timed = ([case for case in cases if case.kind is kind] for kind in (CaseKind.CHECK, CaseKind.PERF))
    cases = (*checked, *timed)
    seeds, noted = SeedPool("secret"), Noted()
    prefetch_values(cast("HostValues", noted), seeds, cases, "identity", 3)
    attempt = [(case.name, seed) for case in cases for seed in seeds.draw(case, "identity", 3)]
    timing = [(case.name, seed) for case in timed for seed in seeds.clock_pool(case)]
    assert noted.wanted[: len(attempt)] == attempt
    assert noted.wanted[len(attempt) :][: len(timing)] == timing
    later = [(case.name, seed) for case in cases for seed in seeds.verification_pool(case)]
    assert noted.wanted[len(attempt) + len(timing) :] == later
    assert len(noted.wanted) == len(attempt) + len(timed) * POOL_SIZE + len(cases) * VERIFICATION_POOL_SIZE
