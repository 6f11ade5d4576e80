"""Which launches a measurement consists of: blocks, values, and which outputs come back (measurement.md M1, M8, M12, M33).

Everything that a kernel could guess is drawn by a secret: values, positions of verified launches, order within rounds.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from warpwright.device.measurement import Phase
from warpwright.device.measuring import ScheduledBlock, ScheduledLaunch
from warpwright.workload.rotation import Rotation

CHECKED_AT_RANDOM = (5, 6)
"""Least and most measured launches whose outputs are verified beside the last one; drawn for each measurement (M12)."""
LEAST_COMPARED = 5
"""Measured launches whose outputs must have been compared before a time counts; the last one that ran must be among them."""
HELD_BACK = 3
"""Host-made values that a schedule holds back (M8): each comes once, in a launch that is compared, so that a kernel which
remembers answers has to compute there and takes longer than with values that it has met."""
CONTENDER = 1
"""Index of the side that a paired run is about; 0 is the incumbent."""


@dataclass(frozen=True, slots=True)
class Counts:
    """warmups: untimed launches of each side. rounds: measured blocks of each side. launches: in a block.

    searching: the figure only orders points of a search; it promotes nothing and accuses nobody. So no outputs come back,
    nothing is taken again because of a floor, and tainted rounds are taken again once at most.
    short: fewer than usual, since more would not fit into the time limit.
    """

    name: str
    warmups: int = 10
    rounds: int = 10
    launches: int = 10
    searching: bool = False
    short: bool = False

    @property
    def measured(self) -> int:
        """Launches of one side that count."""
        return self.rounds * self.launches


FULL = Counts("full")
SCREEN = Counts("screen", warmups=3, rounds=1, searching=True)
SCREEN_LONG = Counts("screen", warmups=1, rounds=1, launches=3, searching=True)
"""For units whose thirteen launches alone would take longer than the rest of a point."""
PAIRED = Counts("paired")


def fitting(counts: Counts, unit_s: float, budget_s: float, least_rounds: int = 1) -> Counts:
    """The counts if they fit into the time, else as many whole rounds as do. unit_s: one launch of every side.

    Where not even least_rounds fit there are fewer warm-ups, then fewer launches in a round, but never too few to be compared:
    a schedule that the limit ends stops before its last launch, which must be.
    """
    most = int(budget_s / unit_s)
    if counts.warmups + counts.measured <= most:
        return counts
    rounds = (most - counts.warmups) // counts.launches
    if rounds >= least_rounds:
        return replace(counts, rounds=rounds, short=True)
    least = -(-(LEAST_COMPARED + 1) // least_rounds)
    launches = min(counts.launches, max((most - 1) // least_rounds, least))
    warmups = min(counts.warmups, max(most - least_rounds * launches, 1))
    return replace(counts, warmups=warmups, rounds=least_rounds, launches=launches, short=True)


def held_back(rotation: Rotation) -> int:
    """How many values of a pool are held back; 0 where that would leave too few to take turns."""
    return HELD_BACK if rotation.pooled and len(rotation.pool_seeds) >= 2 * HELD_BACK else 0


@dataclass(slots=True)
class ValueDraw:
    """Hands out the values of launches, for one process: what it gave for verification it never gives again.

    fresh: seeds without end, for launches that nobody verifies. random: seeded by the session's secret.
    """

    rotation: Rotation
    fresh: Iterator[int]
    random: random.Random
    _unused: list[int] = field(init=False)
    _held: list[int] = field(init=False)
    _turning: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._unused = self.random.sample(self.rotation.pool_seeds, len(self.rotation.pool_seeds))
        self._held = []
        self.hold_back(self.rotation.pool_seeds)

    def hold_back(self, among: Sequence[int]) -> None:
        """Choose the values that are held back from these."""
        count = min(held_back(self.rotation), len(among))
        self._held = self.random.sample(among, count)
        self._turning = [seed for seed in self.rotation.pool_seeds if seed not in self._held]

    def seeds(self, count: int) -> list[int]:
        """Seeds of one block. Inputs made on the host repeat as late as their pool allows, in an order of its own."""
        if not self.rotation.pooled:
            return [next(self.fresh) for _ in range(count)]
        drawn: list[int] = []
        while len(drawn) < count:
            drawn += self.random.sample(self._turning, len(self._turning))
        return drawn[:count]

    def unmet(self) -> int | None:
        """A value that was held back; None if none is left."""
        return self._held.pop() if self._held else None

    def verifiable(self, seed: int, *, needed: bool = False) -> int | None:
        """The seed with which a launch can be verified instead of `seed`; None if none is left.

        needed: then it is `seed` itself, whose expected outputs nobody has kept.
        """
        if self.rotation.pooled:
            return seed
        if self._unused:
            return self._unused.pop()
        return seed if needed else None


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """A block with what it is for. round: of the measurement as a whole; None for warm-ups. seeds: secret, by launch."""

    side: int
    phase: Phase
    round: int | None
    seeds: tuple[int, ...]
    checked: frozenset[int]
    """Launches whose outputs come back."""
    unmet: frozenset[int] = frozenset()
    """Launches with values that were held back."""

    def scheduled(self, rotation: Rotation) -> ScheduledBlock:
        """As the device takes it."""
        launches = (
            ScheduledLaunch(rotation.values(seed), launch in self.checked) for launch, seed in enumerate(self.seeds)
        )
        return ScheduledBlock(self.side, tuple(launches))


Rounds = Sequence[tuple[int, Sequence[int]]]
"""Round number, and its sides in the order in which they run."""


def single_rounds(counts: Counts) -> Rounds:
    """One side alone."""
    return [(number, (0,)) for number in range(counts.rounds)]


def paired_rounds(numbers: Sequence[int], chance: random.Random) -> Rounds:
    """Both sides in every round; each comes first in half of the rounds (an odd one is left to chance)."""
    first = [number % 2 for number in range(len(numbers) - len(numbers) % 2)]
    first += [chance.randrange(2)] * (len(numbers) % 2)
    chance.shuffle(first)
    return [(number, (side, 1 - side)) for number, side in zip(numbers, first, strict=True)]


def plan_blocks(rounds: Rounds, counts: Counts, draw: ValueDraw) -> tuple[PlannedBlock, ...]:
    """Warm-ups of every side, then the rounds.

    Verified are, of the judged side (the contender, or the only one), some launches at random and the last one; the
    incumbent was verified when it was the contender. In a search none are: its best points become attempts, which are.
    Warm-ups take the same path and have values like any other launch. Values that are held back are those of verified ones.
    """
    sides = sorted({side for _, order in rounds for side in order})
    slots = [(number, side) for number, order in rounds for side in order]
    blocks = [PlannedBlock(s, Phase.WARM_UP, None, tuple(draw.seeds(counts.warmups)), frozenset()) for s in sides]
    seeds = [draw.seeds(counts.launches) for _ in slots]
    checked: list[set[int]] = [set() for _ in slots]
    unmet: list[set[int]] = [set() for _ in slots]
    marks = [] if counts.searching else _marks(slots, max(sides), counts.launches, draw.random)
    for slot, launch in marks:
        last = (slot, launch) == marks[0]
        held = None if last else draw.unmet()
        if held is not None:
            unmet[slot].add(launch)
        known = draw.verifiable(seeds[slot][launch], needed=last) if held is None else held
        if known is not None:
            seeds[slot][launch] = known
            checked[slot].add(launch)
    for (number, side), *block in zip(slots, seeds, checked, unmet, strict=True):
        values, compared, new = block
        blocks.append(PlannedBlock(side, Phase.MEASURED, number, tuple(values), frozenset(compared), frozenset(new)))
    return tuple(blocks)


def _marks(
    slots: Sequence[tuple[int, int]], judged: int, launches: int, chance: random.Random
) -> list[tuple[int, int]]:
    """Slots and launches to verify, the last launch first: it needs a seed however few are left."""
    own = [slot for slot, (_, side) in enumerate(slots) if side == judged]
    last = (own[-1], launches - 1)
    others = [(slot, launch) for slot in own for launch in range(launches) if (slot, launch) != last]
    return [last, *chance.sample(others, min(chance.randint(*CHECKED_AT_RANDOM), len(others)))]
