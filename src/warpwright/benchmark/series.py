"""Carries out a schedule on a device: every block as a record, tainted rounds taken again, outputs kept for judgement."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from warpwright.benchmark.schedule import (
    LEAST_COMPARED,
    Counts,
    PlannedBlock,
    Rounds,
    ValueDraw,
    fitting,
    paired_rounds,
    plan_blocks,
)
from warpwright.benchmark.taint import gave_up, tainted_rounds
from warpwright.device.measurement import BlockRecord, Phase
from warpwright.device.measuring import Contestant, Measured, MeasureRequest, MeasuringDevice, TimedArray
from warpwright.device.protocol import Array, Faulted, ScalarArgument
from warpwright.units import US_PER_S
from warpwright.workload.rotation import Rotation

REDOS, SEARCH_REDOS = 2, 1
"""How often tainted rounds are taken again before the figure is called degraded."""
SPIN_MS = 50.0
"""How long the GPU is kept busy before the first block, so that its clocks are up."""
PLANNED_SHARE = 0.7
"""Of the time that launches have, what they are planned to take: they may be slower than those that are known."""


@dataclass(frozen=True, slots=True)
class TimedCase:
    """One case under the clock.

    sets: copies of every array that launches rotate over. flushes: of L2, before each launch with a
    cold cache. time_limit_s: of one schedule. fixed_s: of it, what is left for everything but the launches themselves.
    draw: a stream's name -> the secret draw of that name.
    """

    arrays: tuple[TimedArray, ...]
    scalars: tuple[ScalarArgument, ...]
    rotation: Rotation
    draw: Callable[[str], ValueDraw]
    cold_cache: bool = True
    sets: int = 10
    flushes: int = 1
    time_limit_s: float = 20.0
    fixed_s: float = 0.0

    def planned(self, counts: Counts, unit_us: float | None, least_rounds: int = 1) -> Counts:
        """As many launches as fit with room. unit_us: one launch of every side; None, unknown: all of them."""
        if unit_us is None or not unit_us > 0.0:
            return counts
        return fitting(counts, unit_us / US_PER_S, PLANNED_SHARE * (self.time_limit_s - self.fixed_s), least_rounds)

    def stricter(self) -> "TimedCase":
        """With twice the copies and a double flush: so a time below the soft floor is taken again."""
        limit_s = self.time_limit_s + self.fixed_s
        return replace(self, sets=2 * self.sets, flushes=2, time_limit_s=limit_s, fixed_s=2 * self.fixed_s)


@dataclass(frozen=True, slots=True)
class Stream:
    """Which secret draw a schedule uses, and how many launches it has. hold_back: values among which it chooses those that it
    holds back; None: all.
    """

    name: str
    counts: Counts
    hold_back: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class KeptOutputs:
    """Outputs of a timed launch, to be compared with the oracle's for its seed. block: index in `Series.records`."""

    block: int
    launch: int
    seed: int
    outputs: Mapping[str, Array]


@dataclass(slots=True)
class Series:
    """What a schedule gave, in the order it ran. sets, flush_bytes: as the device used them."""

    stream: str
    counts: Counts
    records: list[BlockRecord] = field(default_factory=list)
    kept: list[KeptOutputs] = field(default_factory=list)
    compared: list[tuple[int, int]] = field(default_factory=list)
    """Block and launch of all outputs that came back."""
    seeds: list[tuple[int, ...]] = field(default_factory=list)
    """Of each block, like `records`; secret."""
    unmet: list[tuple[int, int]] = field(default_factory=list)
    """Block and launch of all values that had been held back."""
    sets: int = 0
    flush_bytes: int = 0
    truncated: bool = False
    degraded: bool = False
    unavailable: dict[str, str] = field(default_factory=dict)

    @property
    def cut(self) -> bool:
        """True if there are fewer launches than usual, by the time limit or by the plan."""
        return self.truncated or self.counts.short

    def rounds(self, side: int) -> dict[int, tuple[float, ...]]:
        """Round -> samples in us of the blocks that count, by round number."""
        found = {
            record.round: record.samples_us
            for record in self.records
            if record.side == side and record.phase is Phase.MEASURED and record.round is not None
        }
        return dict(sorted(found.items()))

    def samples_us(self, side: int) -> tuple[float, ...]:
        """Every launch of a side that counts."""
        return tuple(sample for samples in self.rounds(side).values() for sample in samples)

    def proved(self, side: int) -> bool:
        """True if enough outputs of the side came back, those of the last measured launch that ran among them."""
        own = [i for i, record in enumerate(self.records) if record.side == side and record.phase is not Phase.WARM_UP]
        if not own:
            return False
        last = own[-1], len(self.records[own[-1]].samples_us) - 1
        return last in self.compared and len(self.compared) >= LEAST_COMPARED

    def launches(self, side: int) -> int:
        """Launches of a side that ran, warm-ups as well."""
        return sum(len(record.samples_us) for record in self.records if record.side == side)

    def add(self, planned: Sequence[PlannedBlock], measured: Measured) -> None:
        """Append the blocks that were begun."""
        base = len(self.records)
        for plan, block in zip(planned, measured.blocks, strict=False):  # a truncated schedule gives fewer blocks
            self.records.append(
                BlockRecord(
                    side=plan.side,
                    phase=plan.phase,
                    round=plan.round,
                    samples_us=block.samples_us,
                    sm_mhz=block.sm_mhz,
                    throttle=block.throttle,
                    temperature_c=block.temperature_c,
                    power_w=block.power_w,
                    blocker=block.blocker,
                )
            )
            self.unmet += [(len(self.seeds), launch) for launch in sorted(plan.unmet)]
            self.seeds.append(plan.seeds)
        for kept in measured.kept:
            seed = planned[kept.block].seeds[kept.launch]
            self.kept.append(KeptOutputs(base + kept.block, kept.launch, seed, kept.outputs))
            self.compared.append((base + kept.block, kept.launch))
        self.sets, self.flush_bytes = measured.sets, measured.flush_bytes
        self.truncated = self.truncated or measured.truncated
        self.unavailable |= dict(measured.unavailable)

    def replace_rounds(self, rounds: frozenset[int]) -> None:
        """Keep the blocks of these rounds without counting them."""
        self.records = [
            replace(record, phase=Phase.REPLACED)
            if record.round in rounds and record.phase is Phase.MEASURED
            else record
            for record in self.records
        ]


def take_series(
    device: MeasuringDevice, case: TimedCase, contestants: Sequence[Contestant], rounds: Rounds, stream: Stream
) -> Series | Faulted:
    """Run a schedule; tainted rounds again, at most `REDOS` times (`SEARCH_REDOS` in a search), with new values (M24).

    In the process that the device has: the caller renews it where a stream's values could come twice in one. Rounds whose
    blocker gave up are taken again without it. Raises: InfrastructureError if the device fails.
    """
    draw = case.draw(stream.name)
    if stream.hold_back is not None:
        draw.hold_back(stream.hold_back)
    series = Series(stream.name, stream.counts)
    wanted = rounds
    blocker = True
    for attempt in range(1 + (SEARCH_REDOS if stream.counts.searching else REDOS)):
        planned = plan_blocks(wanted, stream.counts, draw)
        outcome = device.measure(_request(case, contestants, planned, blocker=blocker))
        if isinstance(outcome, Faulted):
            return outcome
        if attempt:
            series.replace_rounds(frozenset(number for number, _ in wanted))
        series.add(planned, outcome)
        tainted = tainted_rounds(series.records)
        series.degraded = bool(tainted)
        if not tainted or series.truncated:
            break
        blocker = blocker and not any(gave_up(record) for record in series.records)
        wanted = _again(wanted, tainted, draw.random)
    return series


def replanned(case: TimedCase, series: Series, judged: int, least_rounds: int = 1) -> Counts | None:
    """With what a schedule that the limit ended too early is to be taken again; None: it is not.

    By the wall clock, so that nobody is blamed for a machine that is slow at what lies between launches.
    """
    if series.counts.searching or not series.truncated or series.proved(judged):
        return None
    done = min(series.launches(side) for side in {0, judged})
    if not done:
        return None
    return case.planned(series.counts, US_PER_S * (case.time_limit_s - case.fixed_s) / done, least_rounds)


def _again(rounds: Rounds, tainted: frozenset[int], chance: random.Random) -> Rounds:
    """The tainted rounds with a new order of their sides."""
    if all(len(order) == 1 for _, order in rounds):
        return [(number, (0,)) for number in sorted(tainted)]
    return paired_rounds(sorted(tainted), chance)


def _request(
    case: TimedCase, contestants: Sequence[Contestant], planned: Sequence[PlannedBlock], *, blocker: bool
) -> MeasureRequest:
    return MeasureRequest(
        contestants=tuple(contestants),
        arrays=case.arrays,
        scalars=case.scalars,
        blocks=tuple(block.scheduled(case.rotation) for block in planned),
        sets=case.sets,
        cold_cache=case.cold_cache,
        flushes=case.flushes,
        spin_ms=SPIN_MS,
        blocker=blocker,
        time_limit_s=case.time_limit_s,
    )
