"""Lessons as sessions would teach them."""

from collections.abc import Sequence

from warpwright.record.history.fingerprint import Axis, Fingerprint, OperationKind
from warpwright.record.history.lesson import Lesson, Trial

ROWS = Fingerprint(OperationKind.ROW_WISE, ("float32:2",), ("float32:2",), Axis.NONE, tensor_cores=False)


def trial(
    technique: str = "vectorise",
    gain: float | None = 1.5,
    *,
    worked: bool = True,
    attempt: int = 2,
    card: str | None = None,
) -> Trial:
    return Trial(attempt, technique, card, "dram_bound", gain, worked, "builtin")


def lesson(
    name: str = "a",
    trials: Sequence[Trial] = (trial(),),
    mark: Fingerprint = ROWS,
    *,
    arch: str = "sm_90",
    measured: bool = False,
    workload: str = "softmax",
) -> Lesson:
    return Lesson(
        name, f"/sessions/{name}", workload, f"hash of {workload}", mark, arch, "NVIDIA H200", measured, tuple(trials)
    )
