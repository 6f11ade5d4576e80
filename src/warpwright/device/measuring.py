"""Measuring on hardware: a schedule of blocks goes in, every sample and the verified outputs come out.

The schedule says everything: which launches there are, in which order, on which values, and whose outputs are kept. The
rules that make it replay-proof live in `benchmark`; a device only carries it out (`docs/harness.md`, *What `time` does*).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.protocol import Array, Device, Faulted, Program, ScalarArgument
from warpwright.workload.model import Role
from warpwright.workload.recipe import Recipe


@dataclass(frozen=True, slots=True)
class TimedArray:
    """An array parameter under the clock. An input has a recipe, or a pool of host values that launches take turns with."""

    name: str
    role: Role
    dtype: str
    shape: tuple[int, ...]
    align_bytes: int
    zeroed: bool = False
    recipe: Recipe | None = None
    pool: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class Contestant:
    """One side of a comparison. program None: the device's own empty kernel, launched with the plan's attributes."""

    program: Program | None
    plan: ResolvedPlan


@dataclass(frozen=True, slots=True)
class ScheduledLaunch:
    """One launch of a whole plan. values: input array -> 128-bit key (recipe) or index (pool). keep: its outputs come back."""

    values: Mapping[str, int]
    keep: bool = False


@dataclass(frozen=True, slots=True)
class ScheduledBlock:
    """Launches of one contestant that are queued behind each other. contestant: index in the request."""

    contestant: int
    launches: tuple[ScheduledLaunch, ...]


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """Everything that one `time` request of the harness needs.

    sets: copies of every array that launches rotate over. flushes: of L2, before each launch with a cold cache. spin_ms: how
    long the GPU is kept busy first (less if it has just been measured on). blocker: hold launches back until a block is
    queued. time_limit_s: of the whole schedule.
    """

    contestants: tuple[Contestant, ...]
    arrays: tuple[TimedArray, ...]
    scalars: tuple[ScalarArgument, ...]
    blocks: tuple[ScheduledBlock, ...]
    sets: int = 10
    cold_cache: bool = True
    flushes: int = 1
    spin_ms: float = 50.0
    blocker: bool = True
    time_limit_s: float = 20.0


@dataclass(frozen=True, slots=True)
class MeasuredBlock:
    """samples_us: one per launch, between its own two events. None is unknown, never 0; `Measured.unavailable` says why.

    sm_mhz: clock over the whole block. throttle: NVML reasons in force at its borders. blocker: `on`, or `off: reason`.
    """

    samples_us: tuple[float, ...]
    sm_mhz: float | None
    throttle: tuple[str, ...] | None
    temperature_c: float | None
    power_w: float | None
    blocker: str


@dataclass(frozen=True, slots=True)
class Kept:
    """The outputs of one launch: block and launch are indices in the request."""

    block: int
    launch: int
    outputs: Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Measured:
    """blocks: those that were begun, in order. sets: as used (fewer than asked for where memory is short).

    flush_bytes: written per flush; 0 with a warm cache. truncated: the time limit came first.
    """

    blocks: tuple[MeasuredBlock, ...]
    kept: tuple[Kept, ...]
    sets: int
    flush_bytes: int
    truncated: bool
    unavailable: Mapping[str, str]


MeasureOutcome = Measured | Faulted


@runtime_checkable
class MeasuringDevice(Device, Protocol):
    """A device whose times are taken on hardware."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What a published figure must name: GPU, uuid, driver, harness version and build."""
        ...

    def measure(self, request: MeasureRequest) -> MeasureOutcome:
        """Carry out a schedule. Guards that changed are a fault. Raises: InfrastructureError."""
        ...

    def rest(self) -> None:
        """Nothing is measured until `renew`: what disturbs a measurement may go on in the background."""
        ...


@runtime_checkable
class ConcurrentDevice(Device, Protocol):
    """A device that carries out several runs at once, each asked for by a thread of its own: a pool of GPUs."""

    @property
    def concurrent_runs(self) -> int:
        """How many; further ones wait."""
        ...
