"""The record of one measured time: every block as it was taken, and everything that a reader needs to judge it (M11)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Phase(StrEnum):
    """What a block was for. `replaced`: measured under a taint and taken again; it is kept, but does not count (M24)."""

    WARM_UP = "warm-up"
    MEASURED = "measured"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """Launches that were queued behind each other; None is unknown, never 0.

    side: 0 = the candidate alone, or the incumbent of a pair; 1 = the contender. round: counts measured blocks of a side
    from 0; None for warm-ups. sm_mhz: SM clock over the block. throttle: reasons in force at its borders.
    """

    side: int
    phase: Phase
    round: int | None
    samples_us: tuple[float, ...]
    sm_mhz: float | None = None
    throttle: tuple[str, ...] | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    blocker: str = "on"


@dataclass(frozen=True, slots=True)
class CheckedLaunch:
    """A timed launch whose outputs were compared and right. block: index in the record.

    How far they were from wrong is kept nowhere: a kernel can choose its error by the values that it reads, and so tell them.
    """

    block: int
    launch: int
    margin: float | None = None
    """Only in records of earlier versions."""


@dataclass(frozen=True, slots=True)
class EmptyLaunch:
    """An empty kernel with the same launch attributes, in the same 10 + 100 (M25).

    reused: taken earlier in this process for the same attributes.
    """

    median_us: float
    p5_us: float
    count: int
    reused: bool = False


@dataclass(frozen=True, slots=True)
class Measurement:
    """How a time was taken.

    protocol: `full` (10 + 100), `screen` (3 + 10) or `paired`. stream: names the draw of seeds and positions, so that
    whoever holds the session's secret can make them again. sets: copies of the arrays that launches rotated over.
    flush_bytes: written per flush, 0 = warm cache. blocks: all of them in the order they ran.
    statistics: of the launches that count, by name (`benchmark.statistics.Spread`), None = too few samples.
    soft_floor_us, hard_floor_us: below the first a time must be explained, below the second it cannot be one.
    repeated: the first run lay below the soft floor; this is the second, with doubled sets and a double flush.
    """

    protocol: str
    stream: str
    cold_cache: bool
    sets: int
    flush_bytes: int
    flushes: int
    blocks: tuple[BlockRecord, ...]
    empty: EmptyLaunch | None = None
    checked: tuple[CheckedLaunch, ...] = ()
    truncated: bool = False
    degraded: bool = False
    resolution_limited: bool = False
    repeated: bool = False
    soft_floor_us: float | None = None
    hard_floor_us: float | None = None
    statistics: Mapping[str, float | None] = field(default_factory=dict)
    identity: Mapping[str, str] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)

    @property
    def flags(self) -> tuple[str, ...]:
        """Names of what weakens the figure, in the order of their weight."""
        named = {
            "truncated": self.truncated,
            "degraded": self.degraded,
            "resolution_limited": self.resolution_limited,
            "screen": self.protocol == "screen",
            "unblocked": any(block.blocker != "on" for block in self.blocks if block.phase is Phase.MEASURED),
        }
        return tuple(name for name, holds in named.items() if holds)
