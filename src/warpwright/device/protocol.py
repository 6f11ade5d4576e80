"""The one protocol behind which every device stands: verify, time and profile a compiled candidate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import KernelResources
from warpwright.device.measurement import Measurement
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.workload.model import DeviceKind, Role
from warpwright.workload.recipe import Generated

Array = np.ndarray[Any, np.dtype[Any]]


class CodeKind(StrEnum):
    """What a device executes."""

    PTX = "ptx"
    CUBIN = "cubin"


class TimeSource(StrEnum):
    """Whether a time was taken on hardware or derived from counters; the two never meet in one comparison."""

    MEASURED = "measured"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class Target:
    """What to compile for."""

    code: CodeKind
    arch: str
    cuda: tuple[int, int] | None = None
    """Newest CUDA version that the driver serves; None: any compiler will do."""


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled candidate as a device needs it. lowered and resources: by entry, as in `Compiled`."""

    ptx: str
    cubin: bytes
    arch: str
    lowered: Mapping[str, str]
    resources: Mapping[str, KernelResources]
    source_name: str


@dataclass(frozen=True, slots=True)
class ArrayArgument:
    """An array parameter. value: host data of `in` and `inout`, None for `out`. align_bytes: of its first element.

    generated: an input that the device makes by itself; then `value` is None. Only measuring devices are given such.
    """

    name: str
    role: Role
    dtype: str
    shape: tuple[int, ...]
    align_bytes: int
    value: Array | None
    zeroed: bool = False
    generated: Generated | None = None


@dataclass(frozen=True, slots=True)
class ScalarArgument:
    """A scalar parameter, packed little-endian in its exact width."""

    name: str
    dtype: str
    packed: bytes


Argument = ArrayArgument | ScalarArgument


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Run a whole plan once and give every output back.

    poison: byte that fills outputs (unless `zeroed`) and scratch before the run. guard: byte around every array.
    time_limit_s: wall-clock limit; over it the run ends as a `timeout`.
    least_alignment: arrays begin at addresses with exactly the alignment that the workload guarantees, so that a candidate
    that assumes more faults; False: at 256-byte boundaries, as an allocator gives them (and as `time` has them).
    """

    program: Program
    plan: ResolvedPlan
    arguments: tuple[Argument, ...]
    poison: int = 0xFF
    guard: int = 0xA5
    time_limit_s: float = 60.0
    least_alignment: bool = True


class FaultKind(StrEnum):
    """Outcome and reason of a candidate that did not run to its end (`verification.md` section 9)."""

    UNSUPPORTED = "compile_error.unsupported_instruction"
    RESOURCES = "launch_error.resources"
    SHARED_MEMORY = "launch_error.shared_memory"
    CONFIG = "launch_error.config"
    COOPERATIVE = "launch_error.cooperative"
    ILLEGAL_ADDRESS = "crash.illegal_address"
    MISALIGNED = "crash.misaligned"
    TRAP = "crash.trap"
    """On a GPU also every exception that the driver has no name for."""
    ASSERT = "crash.assert"
    STACK = "crash.stack"
    ILLEGAL_INSTRUCTION = "crash.illegal_instruction"
    PROCESS_ENDED = "crash.process_ended"
    """The process that ran it ended twice without a word, while a known-good kernel runs."""
    DEADLOCK = "timeout.deadlock"
    TIMEOUT = "timeout.verify"
    TIMING = "timeout.timing"
    DISPLAY_WATCHDOG = "timeout.display_watchdog"
    OOB_WRITE = "wrong_result.oob_write"
    OOB_READ = "wrong_result.oob_read"
    UNINITIALISED_READ = "wrong_result.uninitialised_read"
    BARRIER_DIVERGENCE = "wrong_result.barrier_divergence"
    RACE = "unstable.race"


@dataclass(frozen=True, slots=True)
class Fault:
    """Where and why a run ended early; None is unknown."""

    kind: FaultKind
    message: str
    entry: str | None = None
    line: int | None = None
    """CUDA source line."""
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Modified:
    """An `in` array whose bytes a candidate changed. first_byte: offset of the first changed one."""

    name: str
    bytes: int
    first_byte: int


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that reached its end. arrays: every output afterwards. modified: inputs that are not as they were.

    device_us: between two events around the plan; good for time limits and never a score; None: unknown.
    """

    arrays: Mapping[str, Array]
    seconds: float
    modified: tuple[Modified, ...] = ()
    device_us: float | None = None


@dataclass(frozen=True, slots=True)
class Faulted:
    """A run that did not reach its end."""

    fault: Fault


RunOutcome = Ran | Faulted


@dataclass(frozen=True, slots=True)
class TimeRequest:
    """Estimate a plan on one case."""

    program: Program
    plan: ResolvedPlan
    arguments: tuple[Argument, ...]
    cold_cache: bool = True
    time_limit_s: float = 60.0


@dataclass(frozen=True, slots=True)
class CountedLaunch:
    """The launch of a plan that counters are of. position: index in the plan. launches: that the plan has.

    blocks_run, grid_blocks: the emulator counted so many of its blocks and scaled the counts to all; None: not said.
    """

    entry: str
    position: int
    launches: int
    blocks_run: int | None = None
    grid_blocks: int | None = None

    @property
    def whole(self) -> bool:
        """True if every block is known to have been counted."""
        return self.blocks_run is not None and self.blocks_run == self.grid_blocks


@dataclass(frozen=True, slots=True)
class Timing:
    """Time of one case. samples_us: all measured launches, or the one estimate.

    uncertainty_ratio: half width of what the figure can tell apart; 0.15 for an estimate.
    terms: the cost model's parts in us, `binding` names the largest; both only where source = estimated.
    counters: normalised names (`profiling.md` section 4) -> value; a missing name is unknown; of the longest launch if a
    plan has several. counted: which launch that is, None: not said. notes: what weakens the figure, in sentences.
    measurement: how it was taken; only of measured times.
    """

    source: TimeSource
    gpu: str
    samples_us: tuple[float, ...]
    median_us: float
    uncertainty_ratio: float
    binding: str | None = None
    terms: Mapping[str, float] = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    measurement: Measurement | None = None
    counted: CountedLaunch | None = None


TimeOutcome = Timing | Faulted


class Device(Protocol):
    """Where candidates run. Raises InfrastructureError when the device itself fails; candidate faults are data."""

    @property
    def kind(self) -> DeviceKind:
        """Which of a workload's cases apply."""
        ...

    @property
    def name(self) -> str:
        """Text that opens this device again: `emulator:h200`."""
        ...

    @property
    def spec(self) -> GpuSpec:
        """The GPU; for the emulator the one whose latencies it estimates."""
        ...

    @property
    def target(self) -> Target:
        """What to compile for."""
        ...

    @property
    def description(self) -> str:
        """One line for people: `PTX emulator (latencies are estimates of an NVIDIA H200)`."""
        ...

    def prepare(self, compiler: Compiler) -> None:
        """Once, before the first run: a device may have kernels of its own to compile."""
        ...

    def renew(self) -> None:
        """What runs next runs in a process in which no candidate has run: before each verification and benchmark (V32)."""
        ...

    def run(self, request: RunRequest) -> RunOutcome:
        """Run once and return every output."""
        ...

    def close(self) -> None:
        """End worker processes."""
        ...


@runtime_checkable
class EstimatingDevice(Device, Protocol):
    """A device that derives times from counters: the emulator."""

    def time(self, request: TimeRequest) -> TimeOutcome:
        """The estimate of one case."""
        ...


@dataclass(frozen=True, slots=True)
class RunOnce:
    """A program that runs a plan once, for tools that watch a whole process (ncu, compute-sanitizer).

    command: argument vector. environment: everything that it needs, nothing else. entries: symbols of the candidate's kernels,
    one for each launch of the plan, in its order; tools call them mangled names. Other launches of the process are ours, and
    their names begin with `ww_`. lock: file to hold (`isolation.file_lock`) while the command runs, so that nobody else of
    this machine uses the GPU meanwhile; None: none is needed.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    entries: tuple[str, ...]
    lock: Path | None = None


@runtime_checkable
class RunOnceDevice(Device, Protocol):
    """A device that can hand out a run of a plan as a command on this machine: a GPU of this machine."""

    def run_once(self, request: RunRequest, folder: Path) -> RunOnce:
        """Write the job into `folder` (the caller's, private, and removed by it) and give the command that runs it.

        Memory is plain (no guard pages), so that tools see allocations as they are. Raises: DeviceUnavailable, with the
        reason, where no command on this machine can run it (a harness behind `command:`); InfrastructureError.
        """
        ...
