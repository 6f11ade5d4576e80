"""What the host knows of a case beside counters: its time, its floor, and what kind of work it is."""

import re
from dataclasses import dataclass
from itertools import combinations

from warpwright.hardware import GpuSpec
from warpwright.profiler.diagnosis.figures import figures
from warpwright.workload.floor import case_floor, fits_warm_l2, unique_bytes
from warpwright.workload.model import ArrayParameter, Case, Workload

_NARROW = frozenset({"float16", "bfloat16", "int8", "uint8"})


@dataclass(frozen=True, slots=True)
class Situation:
    """Facts that classes may use beside counters; None is unknown.

    time_us: of the case, from its timing. floor_us, floor_binding: `workload.floor`. attainable_us: launch overhead and then
    the floor's bytes at the bandwidth that copies reach, or its operations. launch_us: an empty launch. unique_bytes: that
    a kernel must read and write: `[work] bytes`, else each input and each output once. compulsory_bytes: the same where they
    must cross DRAM, of which a kernel's last writes may stay in L2; unknown where a warm L2 may hold all arrays.
    warm_l2: whether it may, so that the floor takes the bytes at L2's rate.
    matmul_like: a contraction of two arrays that tensor cores may take (its types or its policy allow them).
    """

    time_us: float | None = None
    floor_us: float | None = None
    floor_binding: str | None = None
    attainable_us: float | None = None
    launch_us: float | None = None
    unique_bytes: float | None = None
    compulsory_bytes: float | None = None
    warm_l2: bool | None = None
    matmul_like: bool | None = None

    def facts(self) -> dict[str, float]:
        """What is known, by the names that `thresholds.toml` uses; a yes is 1, a no 0."""
        known = {name: getattr(self, name) for name in FACTS}
        return {name: float(value) for name, value in known.items() if value is not None}


FACTS = ("time_us", "floor_us", "attainable_us", "launch_us", "unique_bytes", "compulsory_bytes", "matmul_like")
"""Names of `Situation.facts`."""


def situation_of(workload: Workload, case: Case, gpu: GpuSpec, time_us: float | None) -> Situation:
    """Of one case on one GPU. time_us: from its timing, None unknown."""
    floor, moved = case_floor(workload, case, gpu), float(unique_bytes(workload, case))
    warm_l2 = fits_warm_l2(workload, case, gpu)
    work_us = max(floor.bytes_us / figures().attainable_bandwidth_ratio, floor.flops_us or 0.0)
    return Situation(
        time_us=time_us,
        floor_us=floor.us,
        floor_binding=floor.binding.value,
        attainable_us=floor.launch_us + work_us,
        launch_us=floor.launch_us,
        unique_bytes=moved,
        compulsory_bytes=None if warm_l2 else moved,
        warm_l2=warm_l2,
        matmul_like=matmul_like(workload),
    )


def matmul_like(workload: Workload) -> bool:
    """Whether two inputs share a dim that an output sums over, each has one of its own that the output keeps, and tensor
    cores may do it: the inputs are of 8 or 16 bits, or the policy allows lower precision.
    """
    allowed = workload.policy.lower_precision or sum(array.dtype in _NARROW for array in workload.inputs) > 1
    outputs = [_dims(workload, array) for array in workload.outputs]
    pairs = combinations([_dims(workload, array) for array in workload.inputs], 2)
    return allowed and any(_contracted(left, right, output) for left, right in pairs for output in outputs)


def _contracted(left: frozenset[str], right: frozenset[str], output: frozenset[str]) -> bool:
    return bool((left & right) - output) and bool((left - right) & output) and bool((right - left) & output)


def _dims(workload: Workload, array: ArrayParameter) -> frozenset[str]:
    return frozenset(
        name for text in array.shape for name in re.findall(r"[A-Za-z_]\w*", text) if name in workload.dims
    )
