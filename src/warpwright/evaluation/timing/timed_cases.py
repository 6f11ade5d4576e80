"""What every measurement of a case shares: arrays, scalars, values that launches take turns with, the secret draw."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from warpwright.benchmark.schedule import CHECKED_AT_RANDOM, FULL, Counts, ValueDraw
from warpwright.benchmark.series import TimedCase
from warpwright.device.measuring import TimedArray
from warpwright.device.protocol import ScalarArgument
from warpwright.evaluation.timing.limits import fixed_schedule_s, schedule_limit_s, search_limit_s
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.verifier.binding import device_arguments
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import POOL_SIZE, SeedPool
from warpwright.workload.model import ArrayParameter, Case
from warpwright.workload.rotation import Rotation, rotation
from warpwright.workload.shapes import case_bytes, size_bytes

MOST_SETS, FREE_SETS, LEAST_SETS = 10, 8, 2
"""Sets by default; how many of them may take a quarter of the memory; how few rotation still makes sense with (M8, M10)."""
_MEMORY_SHARE = 4
FULL_LAUNCHES = FULL.warmups + FULL.measured
_SEARCH_POOL = 1
"""Entries of a pool in a search: only time differs between points, and every entry has to cross to the device."""


@dataclass(slots=True)
class TimedCases:
    """Prepares cases of one workload for the clock, each once. seeds: where all that is secret comes from."""

    values: HostValues
    seeds: SeedPool
    gpu: GpuSpec
    _rotations: dict[tuple[str, int], Rotation] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def of(self, case: Case, known_us: float | None = None) -> TimedCase:
        """One case. known_us: of one unit, for the time limit; None = unknown. Raises: WorkloadError if `make_inputs` fails."""
        return self._prepared(
            case,
            self._rotation(case, POOL_SIZE),
            set_count(case_bytes(self.values.workload, case), self.gpu.memory.dram_bytes),
            FULL_LAUNCHES,
            schedule_limit_s(known_us, FULL_LAUNCHES),
        )

    def searched(self, case: Case, counts: Counts, known_us: float | None = None) -> TimedCase:
        """One case for points of a search: no more copies and host-made inputs than a time needs. Raises: as `of`."""
        launches = counts.warmups + counts.measured
        limit_s = search_limit_s(known_us, launches)
        return self._prepared(case, self._rotation(case, _SEARCH_POOL), LEAST_SETS, launches, limit_s)

    def _rotation(self, case: Case, pool: int) -> Rotation:
        key = case.name, pool
        if key not in self._rotations:
            seeds = self.seeds.clock_pool(case)[:pool]
            self._rotations[key] = rotation(self.values.workload, case, self.values, seeds)
        return self._rotations[key]

    def _prepared(self, case: Case, turns: Rotation, sets: int, launches: int, limit_s: float) -> TimedCase:
        """limit_s: for the launches alone."""
        workload = self.values.workload
        arguments = self.values.arguments(case, case.seed)
        bound = device_arguments(workload, arguments, on_device=True)
        arrays = tuple(_timed_array(array, arguments.shapes[array.name], turns) for array in workload.arrays)
        copied_bytes = self._kept_bytes(case) + sum(entry.nbytes for array in arrays for entry in array.pool)
        set_bytes = case_bytes(workload, case)
        fixed_s = fixed_schedule_s(self.gpu, launches, set_bytes, copied_bytes, cold_cache=workload.cold_cache)
        return TimedCase(
            arrays=arrays,
            scalars=tuple(argument for argument in bound if isinstance(argument, ScalarArgument)),
            rotation=turns,
            draw=lambda stream: self._draw(case, turns, stream),
            cold_cache=workload.cold_cache,
            sets=sets,
            time_limit_s=limit_s + fixed_s,
            fixed_s=fixed_s,
        )

    def stream(self, purpose: str, identity: str) -> str:
        """A name that no other measurement of this process has."""
        return f"{purpose}/{identity}/{next(self._numbers)}"

    def _kept_bytes(self, case: Case) -> int:
        """Outputs that come back of one schedule."""
        launches = CHECKED_AT_RANDOM[1] + 1
        return launches * sum(size_bytes(output, case.dims) for output in self.values.workload.outputs)

    def _draw(self, case: Case, turns: Rotation, stream: str) -> ValueDraw:
        chance = random.Random(self.seeds.number("schedule", case.name, stream))
        return ValueDraw(turns, self.seeds.stream(case, stream), chance)


def set_count(set_bytes: int, memory_bytes: int) -> int:
    """How many copies of the arrays to rotate over: fewer where `FREE_SETS` of them exceed a quarter of the memory."""
    allowed = memory_bytes // _MEMORY_SHARE
    if FREE_SETS * set_bytes <= allowed:
        return MOST_SETS
    return max(LEAST_SETS, allowed // max(set_bytes, 1))


def _timed_array(array: ArrayParameter, shape: tuple[int, ...], turns: Rotation) -> TimedArray:
    source = turns.inputs.get(array.name)
    return TimedArray(
        name=array.name,
        role=array.role,
        dtype=array.dtype,
        shape=shape,
        align_bytes=array.align_bytes,
        zeroed=array.zeroed,
        recipe=None if source is None else source.recipe,
        pool=() if source is None else source.pool,
    )
