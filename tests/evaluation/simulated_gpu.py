"""A measuring device for tests: results by the emulator, times by a model with noise, drift, throttling and cheats."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from warpwright.compiler.compiler import Compiler
from warpwright.device.measuring import (
    Contestant,
    Kept,
    Measured,
    MeasuredBlock,
    MeasureOutcome,
    MeasureRequest,
    ScheduledLaunch,
)
from warpwright.device.protocol import (
    Argument,
    Array,
    ArrayArgument,
    Device,
    Faulted,
    Ran,
    RunOutcome,
    RunRequest,
    Target,
)
from warpwright.hardware import GpuSpec
from warpwright.workload.generator import generate
from warpwright.workload.model import DeviceKind, Role

EMPTY_US = 3.0


def by_block_size(times_us: Mapping[int, float]) -> Callable[[Contestant], float]:
    """The time of a unit by the threads of its first launch's blocks."""
    return lambda contestant: times_us[contestant.plan.launches[0].block_threads]


@dataclass
class Behaviour:
    """unit_us: median of a contestant. noise: relative deviation of a launch. drift: relative rise per launch.

    throttled, slow_clock: numbers of blocks (counted over the device's life) with a throttle reason or at half the clock.
    gives_up: number of the block whose blocker does. replays: from its second launch on in a request a kernel gives back its
    first answer. limit_blocks, pair_blocks: blocks of a request, and of one with two sides, that end before the time limit.
    limited: a block that would end beyond the time limit is not begun. unfinished: requests whose last round is not. block_us:
    added to the last launch of each block of a contender. verifying_us: of a run in verification. first_sample_us: instead of
    the first launch of each block. launch_us: time of a launch of the last contestant by its contestants' count, the indices of
    its host-made inputs, and how often each combination came before in this process; None: as unit_us says.
    """

    unit_us: Callable[[Contestant], float] = lambda _: 20.0
    noise: float = 0.002
    drift: float = 0.0
    throttled: Callable[[int], bool] = lambda _: False
    slow_clock: Callable[[int], bool] = lambda _: False
    gives_up: int | None = None
    replays: bool = False
    limit_blocks: int | None = None
    pair_blocks: int | None = None
    limited: bool = False
    unfinished: Callable[[MeasureRequest], bool] = lambda _: False
    block_us: float = 0.0
    verifying_us: float | None = None
    first_sample_us: float | None = None
    launch_us: Callable[[int, tuple[int, ...], dict[tuple[int, ...], int]], float] | None = None
    fault: Faulted | None = None


@dataclass
class SimulatedGpu:
    """See the module. emulator: what computes the results. requests: every schedule that was asked for."""

    emulator: Device
    behaviour: Behaviour = field(default_factory=Behaviour)
    requests: list[MeasureRequest] = field(default_factory=list)
    renewals: int = 0
    rests: int = 0
    runs: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(7)
        self._blocks = 0
        self._launches = 0
        self._met: dict[tuple[int, ...], int] = {}

    @property
    def kind(self) -> DeviceKind:
        return DeviceKind.GPU

    @property
    def name(self) -> str:
        return "gpu:0"

    @property
    def spec(self) -> GpuSpec:
        return self.emulator.spec

    @property
    def target(self) -> Target:
        return self.emulator.target

    @property
    def description(self) -> str:
        return "a simulated GPU"

    @property
    def identity(self) -> Mapping[str, str]:
        return {"gpu": self.spec.name, "uuid": "GPU-simulated", "driver": "13.0", "harness": "0", "build": "none"}

    def prepare(self, compiler: Compiler) -> None:
        self.emulator.prepare(compiler)

    def renew(self) -> None:
        self.renewals += 1
        self._met.clear()

    def rest(self) -> None:
        self.rests += 1

    def close(self) -> None:
        self.emulator.close()

    def run(self, request: RunRequest) -> RunOutcome:
        self.runs += 1
        outcome = self.emulator.run(replace(request, arguments=tuple(map(_on_host, request.arguments))))
        return replace(outcome, device_us=self.behaviour.verifying_us) if isinstance(outcome, Ran) else outcome

    def measure(self, request: MeasureRequest) -> MeasureOutcome:
        if self.behaviour.fault is not None and request.contestants[0].program is not None:
            return self.behaviour.fault
        self.requests.append(request)
        blocks: list[MeasuredBlock] = []
        kept: list[Kept] = []
        first: dict[int, Mapping[str, Array]] = {}
        known = self.behaviour
        limit = known.limit_blocks if len(request.contestants) == 1 or known.pair_blocks is None else known.pair_blocks
        if known.unfinished(request):
            limit = len(request.blocks) - len(request.contestants)
        limit = None if request.contestants[0].program is None else limit
        spent_us = 0.0
        for index, block in enumerate(request.blocks[:limit]):
            contestant = request.contestants[block.contestant]
            made = self._block(contestant, len(block.launches), blocker=request.blocker)
            if block.contestant == len(request.contestants) - 1 and contestant.program is not None:
                last_us = made.samples_us[-1] + self.behaviour.block_us
                made = replace(made, samples_us=(*made.samples_us[:-1], last_us))
            if known.launch_us is not None and contestant is request.contestants[-1] and contestant.program is not None:
                made = replace(made, samples_us=self._by_values(request, block.launches))
            spent_us += sum(made.samples_us)
            if self.behaviour.limited and spent_us > request.time_limit_s * 1e6:
                break
            blocks.append(made)
            for number, launch in enumerate(block.launches):
                remembers = self.behaviour.replays and block.contestant not in first and contestant.program is not None
                if not launch.keep and not remembers:
                    continue
                outputs = self._outputs(request, contestant, launch)
                first.setdefault(block.contestant, outputs)
                if launch.keep:
                    answer = first[block.contestant] if self.behaviour.replays else outputs
                    kept.append(Kept(index, number, answer))
        return Measured(
            blocks=tuple(blocks),
            kept=tuple(kept),
            sets=request.sets,
            flush_bytes=0 if not request.cold_cache else 64 << 20,
            truncated=len(blocks) < len(request.blocks),
            unavailable={"power": "simulated"},
        )

    def _block(self, contestant: Contestant, launches: int, *, blocker: bool) -> MeasuredBlock:
        known, self._blocks = self.behaviour, self._blocks + 1
        slow = known.slow_clock(self._blocks)
        usual = EMPTY_US if contestant.program is None else known.unit_us(contestant)
        samples = []
        for _ in range(launches):
            self._launches += 1
            level = usual * (1 + known.drift * self._launches) * (2 if slow else 1)
            samples.append(level * self._random.gauss(1, known.noise))
        if known.first_sample_us is not None and contestant.program is not None:
            samples[0] = known.first_sample_us
        return MeasuredBlock(
            samples_us=tuple(samples),
            sm_mhz=990.0 if slow else 1980.0,
            throttle=("SwThermalSlowdown",) if known.throttled(self._blocks) else ("GpuIdle",),
            temperature_c=50.0,
            power_w=None,
            blocker=self._blocker() if blocker else "off: the caller says so",
        )

    def _by_values(self, request: MeasureRequest, launches: Sequence[ScheduledLaunch]) -> tuple[float, ...]:
        """Times of the launches by their values, with noise."""
        assert self.behaviour.launch_us is not None
        pooled = [array.name for array in request.arrays if array.pool]
        samples = []
        for launch in launches:
            key = tuple(launch.values[name] for name in pooled)
            us = self.behaviour.launch_us(len(request.contestants), key, self._met)
            self._met[key] = self._met.get(key, 0) + 1
            samples.append(us * self._random.gauss(1, self.behaviour.noise))
        return tuple(samples)

    def _blocker(self) -> str:
        return "off: it gave up after 2 s" if self._blocks == self.behaviour.gives_up else "on"

    def _outputs(self, request: MeasureRequest, contestant: Contestant, launch: ScheduledLaunch) -> Mapping[str, Array]:
        assert contestant.program is not None
        arrays: list[Argument] = []
        for array in request.arrays:
            value = None
            if array.role is not Role.OUT:
                source = launch.values[array.name]
                made = array.pool[source] if array.recipe is None else _made(array.recipe, source, array.shape)
                value = made
            arrays.append(
                ArrayArgument(array.name, array.role, array.dtype, array.shape, array.align_bytes, value, array.zeroed)
            )
        outcome = self.emulator.run(
            RunRequest(contestant.program, contestant.plan, (*arrays, *request.scalars), least_alignment=False)
        )
        assert isinstance(outcome, Ran), outcome
        return {array.name: outcome.arrays[array.name] for array in request.arrays if array.role is not Role.IN}


def _on_host(argument: Argument) -> Argument:
    if not isinstance(argument, ArrayArgument) or argument.generated is None:
        return argument
    made = _made(argument.generated.recipe, argument.generated.key, argument.shape)
    return replace(argument, value=made, generated=None)


def _made(recipe: object, key: int, shape: tuple[int, ...]) -> Array:
    count = 1
    for size in shape:
        count *= size
    return generate(recipe, key, count).reshape(shape)  # type: ignore[arg-type]
