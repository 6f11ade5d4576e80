"""A published comparison of two kernels: what a paired run found, in ratios, with all of its evidence."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warpwright.benchmark.decision import Rank
from warpwright.benchmark.paired import Judgement, PairedEffects
from warpwright.benchmark.statistics import median
from warpwright.device.measurement import Measurement, Phase


@dataclass(frozen=True, slots=True)
class PairedCase:
    """One case. speedup: incumbent over contender, with its interval. effects: log of it in every round.

    incumbent_us, contender_us: medians over all launches of the run. measurements: of the first run and its extension;
    in their blocks side 0 is the incumbent.
    """

    name: str
    speedup: float
    low: float
    high: float
    incumbent_us: float
    contender_us: float
    effects: tuple[float, ...]
    measurements: tuple[Measurement, ...] = ()
    launch_bound: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """Which side came first in each round, as measured: `AB` or `BA`."""
        first: dict[tuple[int, int], int] = {}
        for part, measurement in enumerate(self.measurements):
            for block in measurement.blocks:
                if block.phase is Phase.MEASURED and block.round is not None:
                    first.setdefault((part, block.round), block.side)
        return tuple("BA" if side else "AB" for _, side in sorted(first.items()))


@dataclass(frozen=True, slots=True)
class PairedFigure:
    """speedup: geometric mean over the cases, with its 95 % interval. floor_ratio: what an A/A run showed as difference;
    None if the effect was so clear that none was made.

    rank: by the rule of the promotion gate. rounds: of every case. against: identity of the incumbent's candidate.
    """

    rank: Rank
    speedup: float
    low: float
    high: float
    rounds: int
    floor_ratio: float | None
    cases: tuple[PairedCase, ...]
    message: str
    against: str
    identity: Mapping[str, str] = field(default_factory=dict)

    @property
    def flags(self) -> tuple[str, ...]:
        """Everything that weakens the figure."""
        found = [flag for case in self.cases for measurement in case.measurements for flag in measurement.flags]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class PairedSamples:
    """All launches of one case that count, with the record of how they were taken."""

    incumbent_us: Sequence[float]
    contender_us: Sequence[float]
    measurements: tuple[Measurement, ...]
    launch_bound: bool


def paired_figure(
    effects: PairedEffects,
    judgement: Judgement,
    floor: float | None,
    samples: Mapping[str, PairedSamples],
    against: str,
) -> PairedFigure:
    """From logarithms to ratios. floor: of the A/A run, a logarithm; None = no such run.

    Raises: ValueError if there is no rank yet.
    """
    if judgement.rank is None:
        raise ValueError(f"a paired run that is undecided is no figure: {judgement.message}")
    cases = tuple(
        PairedCase(
            name=name,
            speedup=math.exp(effect.value),
            low=math.exp(effect.low),
            high=math.exp(effect.high),
            incumbent_us=median(samples[name].incumbent_us),
            contender_us=median(samples[name].contender_us),
            effects=effects.rounds[name],
            measurements=samples[name].measurements,
            launch_bound=samples[name].launch_bound,
        )
        for name, effect in effects.cases.items()
    )
    overall = effects.overall
    measurements = [measurement for case in cases for measurement in case.measurements]
    return PairedFigure(
        rank=judgement.rank,
        speedup=math.exp(overall.value),
        low=math.exp(overall.low),
        high=math.exp(overall.high),
        rounds=len(next(iter(effects.rounds.values()))),
        floor_ratio=None if floor is None else math.expm1(floor),
        cases=cases,
        message=judgement.message,
        against=against,
        identity=dict(measurements[0].identity) if measurements else {},
    )
