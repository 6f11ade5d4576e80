"""Statistics of a paired run: the effect in each round, its interval, and the decision (measurement.md section 9).

Effects are natural logarithms of incumbent over contender: above 0 = the contender is faster.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpwright.benchmark.decision import Rank
from warpwright.benchmark.statistics import CONFIDENCE, interval_ranks, median
from warpwright.units import format_ratio

Effects = np.ndarray[Any, np.dtype[np.float64]]
LEAST_ROUNDS = 3
"""Fewer rounds have no interval worth the name."""


EVERYBODY = -1.0
"""Entry for every contender, faster by its own record or not: when a person asks for the comparison."""


@dataclass(frozen=True, slots=True)
class PairedOptions:
    """When a contender has beaten the incumbent (M32, M36). Ratios: 0.005 = 0.5 %.

    entry_ratio: lead in its own record that a contender needs before it is re-measured; `EVERYBODY` = none. rounds,
    most_rounds: of a first and of an extended run; an A/A run has the most. least_gain_ratio: smaller gains are not worth
    a change, smaller losses not worth a word. floor_factor: how many times the A/A floor a gain must exceed. case_loss_ratio:
    what one case may lose. sure_ratio: an interval wholly beyond it, or its reciprocal, needs no A/A run. resamples: of the
    bootstrap.
    """

    entry_ratio: float = 0.005
    rounds: int = 10
    most_rounds: int = 20
    least_gain_ratio: float = 0.005
    floor_factor: float = 2.0
    case_loss_ratio: float = 0.03
    sure_ratio: float = 1.5
    resamples: int = 2000
    confidence: float = CONFIDENCE


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect with its interval, logarithms."""

    value: float
    low: float
    high: float

    @property
    def floor(self) -> float:
        """What an A/A comparison cannot tell from nothing."""
        return max(abs(self.low), abs(self.high))


@dataclass(frozen=True, slots=True)
class PairedEffects:
    """overall: mean over cases of their effects. cases: by name. rounds: every round's effect, by case."""

    overall: Effect
    cases: Mapping[str, Effect]
    rounds: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """rank None: more rounds are needed. message: why, in one sentence."""

    rank: Rank | None
    message: str


def round_effects(incumbent: Mapping[int, Sequence[float]], contender: Mapping[int, Sequence[float]]) -> Effects:
    """d = log(median of the incumbent / median of the contender) of every round that both sides finished.

    Round -> samples in us. Raises: ValueError if a sample is no time.
    """
    shared = sorted(set(incumbent) & set(contender))
    return np.array([math.log(median(incumbent[r]) / median(contender[r])) for r in shared], dtype=np.float64)


def paired_effects(rounds: Mapping[str, Effects], options: PairedOptions, seed: int) -> PairedEffects:
    """Case -> d of every round, to effects with intervals. The bootstrap draws rounds, the same for all cases.

    Raises: ValueError if there is no case, the cases differ in rounds, or there are fewer than LEAST_ROUNDS.
    """
    counts = {len(d) for d in rounds.values()}
    if len(counts) != 1 or min(counts) < LEAST_ROUNDS:
        found = ", ".join(f"{name}: {len(d)}" for name, d in rounds.items()) or "no cases"
        raise ValueError(f"rounds of a paired run: {found}; every case needs the same number, at least {LEAST_ROUNDS}")
    table = np.stack(list(rounds.values()))
    drawn = np.random.default_rng(seed).integers(0, table.shape[1], size=(options.resamples, table.shape[1]))
    resampled = np.median(table[:, drawn], axis=2)
    cases = {name: _effect(table[i : i + 1], resampled[i : i + 1], options.confidence) for i, name in enumerate(rounds)}
    return PairedEffects(
        overall=_effect(table, resampled, options.confidence),
        cases=cases,
        rounds={name: tuple(float(d) for d in values) for name, values in rounds.items()},
    )


def is_sure(effects: PairedEffects, options: PairedOptions) -> bool:
    """True if no A/A floor could change the decision: it would have to exceed 22 % at the default options, and ten rounds in
    which copies of one kernel differ so much give no interval so clear; fewer than `rounds` are never sure. The largest floor
    on an H200 was 5.3 %, at 4.8 us.
    """
    beyond = math.log(options.sure_ratio)
    if min(len(d) for d in effects.rounds.values()) < options.rounds:
        return False
    return effects.overall.low > beyond or effects.overall.high < -beyond


def _effect(table: Effects, resampled: Effects, confidence: float) -> Effect:
    """Bootstrap interval, widened to the order-statistic interval of the per-round means: few rounds make the former narrow.

    No t-interval: single rounds far off (on an H200 up to 9 %, `benchmarks/measurement`) do not move the median, but they
    do move a standard deviation.
    """
    value = float(np.median(table, axis=1).mean())
    tail = 50.0 * (1.0 - confidence)
    low, high = (float(edge) for edge in np.percentile(resampled.mean(axis=0), [tail, 100.0 - tail]))
    means = np.sort(table.mean(axis=0))
    first, last = interval_ranks(len(means), confidence) or (1, len(means))
    return Effect(value, min(low, value, float(means[first - 1])), max(high, value, float(means[last - 1])))


def judge(
    effects: PairedEffects, floor: float | None, options: PairedOptions, launch_bound: frozenset[str], *, final: bool
) -> Judgement:
    """The decision rule of M36; a loss that is not worth a word, or that an A/A comparison shows as well, is a tie.

    floor: of the A/A comparison, a logarithm; None if `is_sure`. launch_bound: cases whose incumbent is mostly launch
    latency; they alone justify no promotion (M26). final: no further rounds will come, so what is undecided is a tie.
    """
    overall = effects.overall
    least = math.log1p(options.least_gain_ratio)
    floor = floor or 0.0
    needed = max(least, options.floor_factor * floor)
    figure = _figure(overall)
    if overall.high < 0.0 and -overall.value > max(least, floor):
        return Judgement(Rank.SLOWER, f"slower: {figure}")
    if overall.low > 0.0 and overall.value > needed:
        objection = _objection(effects, options, launch_bound)
        if objection is None:
            return Judgement(Rank.IMPROVED, f"improved: {figure}")
        return Judgement(Rank.TIE, f"tie: {figure}, but {objection}")
    if overall.high <= needed or final:
        return Judgement(Rank.TIE, f"tie: {figure}; a gain needs more than {math.expm1(needed):.2%}")
    return Judgement(None, f"undecided: {figure}")


def _objection(effects: PairedEffects, options: PairedOptions, launch_bound: frozenset[str]) -> str | None:
    worst = min(effects.cases, key=lambda name: effects.cases[name].value)
    loss = effects.cases[worst]
    if loss.high < 0.0 and loss.value < -math.log1p(options.case_loss_ratio):
        return f"case {worst} is {math.expm1(-loss.value):.1%} slower"
    if not any(effect.low > 0.0 for name, effect in effects.cases.items() if name not in launch_bound):
        return "only cases gain whose time is mostly that of launching"
    return None


def _figure(effect: Effect) -> str:
    low, high = math.exp(effect.low), math.exp(effect.high)
    return f"{_ratio(effect.value)} in a paired run (95 % interval {low:.3f} to {high:.3f})"


def _ratio(value: float) -> str:
    """A small effect needs a digit more."""
    ratio = math.exp(value)
    return f"{ratio:.3f}x" if abs(value) < 0.1 else format_ratio(ratio)
