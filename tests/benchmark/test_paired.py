"""The paired decision on simulated noise: ties for copies, true differences found, symmetry."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.benchmark.decision import Rank
from warpwright.benchmark.paired import (
    Effect,
    Effects,
    PairedEffects,
    PairedOptions,
    is_sure,
    judge,
    paired_effects,
    round_effects,
)

OPTIONS = PairedOptions()
NONE: frozenset[str] = frozenset()


def noisy(rng: np.random.Generator, effect: float, cv: float, rounds: int = 10, drift: float = 0.0) -> Effects:
    """d of rounds of ten launches a side; drift: relative rise from a round to the next, the same for both sides."""
    level = 100.0 * (1 + drift * np.arange(rounds))[:, None]
    a = level * rng.normal(1, cv, (rounds, 10))
    b = level * math.exp(-effect) * rng.normal(1, cv, (rounds, 10))
    return round_effects(dict(enumerate(a.tolist())), dict(enumerate(b.tolist())))


def compared(rng: np.random.Generator, effect: float, cv: float, *, cases: int = 1, drift: float = 0.0) -> Rank:
    """The whole procedure: A/A floor, first run, extension."""
    names = [f"c{i}" for i in range(cases)]
    floor = paired_effects({name: noisy(rng, 0.0, cv) for name in names}, OPTIONS, 0).overall.floor
    rounds = {name: noisy(rng, effect, cv, drift=drift) for name in names}
    first = judge(paired_effects(rounds, OPTIONS, 0), floor, OPTIONS, NONE, final=False)
    if first.rank is not None:
        return first.rank
    longer = {name: np.concatenate([d, noisy(rng, effect, cv, drift=drift)]) for name, d in rounds.items()}
    last = judge(paired_effects(longer, OPTIONS, 0), floor, OPTIONS, NONE, final=True)
    assert last.rank is not None
    return last.rank


@pytest.mark.parametrize(("cv", "drift"), [(0.002, 0.0), (0.01, 0.0), (0.01, 0.02), (0.05, 0.0)])
def test_copies_tie(cv: float, drift: float) -> None:
    rng = np.random.default_rng(11)
    ranks = [compared(rng, 0.0, cv, drift=drift) for _ in range(200)]
    assert ranks.count(Rank.TIE) >= 194


@pytest.mark.parametrize("cases", [1, 3])
def test_a_true_2_percent_is_found(cases: int) -> None:
    rng = np.random.default_rng(12)
    ranks = [compared(rng, math.log(1.02), 0.01, cases=cases) for _ in range(200)]
    assert ranks.count(Rank.IMPROVED) >= 190


def test_single_rounds_far_off_hide_no_gain_and_make_none() -> None:
    rng = np.random.default_rng(15)

    def disturbed(effect: float) -> PairedEffects:
        d = noisy(rng, effect, 0.005)
        d[rng.integers(10)] += rng.choice([-0.07, 0.07])
        return paired_effects({"c": d}, OPTIONS, 0)

    def rank(effect: float) -> Rank | None:
        return judge(disturbed(effect), disturbed(0.0).overall.floor, OPTIONS, NONE, final=True).rank

    assert [rank(math.log(1.02)) for _ in range(100)].count(Rank.IMPROVED) >= 95
    assert [rank(0.0) for _ in range(100)].count(Rank.TIE) >= 97


def test_a_true_loss_is_found() -> None:
    rng = np.random.default_rng(13)
    ranks = [compared(rng, -0.02, 0.01) for _ in range(100)]
    assert ranks.count(Rank.SLOWER) >= 95


def test_a_gain_below_half_a_percent_is_no_gain() -> None:
    rng = np.random.default_rng(14)
    assert {compared(rng, 0.003, 0.001) for _ in range(50)} == {Rank.TIE}


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[float]]:
    rounds = draw(st.integers(3, 20))
    d = st.floats(-0.5, 0.5)
    return {f"c{i}": draw(st.lists(d, min_size=rounds, max_size=rounds)) for i in range(draw(st.integers(1, 4)))}


@given(tables())
def test_reversed_order_negates_every_figure(table: dict[str, list[float]]) -> None:
    forth = paired_effects({name: np.array(d) for name, d in table.items()}, OPTIONS, 0)
    back = paired_effects({name: -np.array(d) for name, d in table.items()}, OPTIONS, 0)
    for one, other in [(forth.overall, back.overall), *((forth.cases[name], back.cases[name]) for name in table)]:
        assert other.value == pytest.approx(-one.value, abs=1e-12)
        assert other.low == pytest.approx(-one.high, abs=1e-12)
        assert other.high == pytest.approx(-one.low, abs=1e-12)
        assert one.low - 1e-12 <= one.value <= one.high + 1e-12


@given(st.floats(1e-3, 1e6), st.integers(0, 1000))
def test_the_unit_of_time_does_not_matter(scale: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(5, 10, (2, 6, 10))
    plain = round_effects(dict(enumerate(a.tolist())), dict(enumerate(b.tolist())))
    scaled = round_effects(dict(enumerate((a * scale).tolist())), dict(enumerate((b * scale).tolist())))
    assert scaled == pytest.approx(plain, abs=1e-9)


def test_only_rounds_that_both_sides_finished_count() -> None:
    found = round_effects({0: (4.0,), 1: (4.0,), 2: (4.0,)}, {0: (2.0,), 1: (4.0,)})
    assert found == pytest.approx([math.log(2), 0.0])


@pytest.mark.parametrize("table", [{}, {"a": [0.0, 0.0]}, {"a": [0.0] * 4, "b": [0.0] * 5}])
def test_too_few_or_unequal_rounds_are_refused(table: dict[str, Sequence[float]]) -> None:
    with pytest.raises(ValueError, match="every case needs the same number, at least 3"):
        paired_effects({name: np.array(d) for name, d in table.items()}, OPTIONS, 0)


def effects(overall: tuple[float, float, float], **cases: tuple[float, float, float]) -> PairedEffects:
    named = {name: Effect(*case) for name, case in cases.items()} or {"only": Effect(*overall)}
    return PairedEffects(Effect(*overall), named, dict.fromkeys(named, ()))


JUDGEMENTS = {
    "clear gain": (effects((0.05, 0.04, 0.06)), 0.001, Rank.IMPROVED, "improved: 1.051x in a paired run"),
    "gain within twice the A/A floor": (effects((0.05, 0.04, 0.06)), 0.04, Rank.TIE, "needs more than 8.33%"),
    "clear loss": (effects((-0.05, -0.06, -0.04)), 0.001, Rank.SLOWER, "slower: 0.951x"),
    "loss that A/A shows too": (effects((-0.002, -0.003, -0.001)), 0.004, Rank.TIE, "tie"),
    "loss that is not worth a word": (effects((-0.0046, -0.006, -0.003)), 0.001, Rank.TIE, "tie: 0.995x"),
    "loss just beyond it": (effects((-0.0054, -0.007, -0.003)), 0.001, Rank.SLOWER, "slower: 0.995x"),
    "loss within the A/A floor": (effects((-0.02, -0.03, -0.01)), 0.03, Rank.TIE, "tie"),
    "one case ruined": (
        effects((0.2, 0.1, 0.3), fast=(0.5, 0.4, 0.6), slow=(-0.1, -0.12, -0.08)),
        0.001,
        Rank.TIE,
        "but case slow is 10.5% slower",
    ),
    "one case a little slower": (
        effects((0.2, 0.1, 0.3), fast=(0.5, 0.4, 0.6), slow=(-0.02, -0.03, -0.01)),
        0.001,
        Rank.IMPROVED,
        "improved",
    ),
    "undecided": (effects((0.01, -0.01, 0.03)), 0.001, None, "undecided"),
    "hopeless": (effects((0.001, -0.001, 0.003)), 0.001, Rank.TIE, "a gain needs more than 0.50%"),
}


@pytest.mark.parametrize(("found", "floor", "rank", "message"), JUDGEMENTS.values(), ids=JUDGEMENTS)
def test_judgement(found: PairedEffects, floor: float, rank: Rank | None, message: str) -> None:
    judgement = judge(found, floor, OPTIONS, NONE, final=False)
    assert judgement.rank is rank
    assert message in judgement.message


@pytest.mark.parametrize(
    ("low", "high", "rounds", "sure"),
    [
        (0.41, 0.6, 10, True),
        (0.40, 0.6, 10, False),
        (-0.6, -0.41, 10, True),
        (-0.6, -0.40, 10, False),
        (0.41, 0.6, 9, False),
    ],
)
def test_only_a_clear_effect_over_all_rounds_is_sure(low: float, high: float, rounds: int, sure: bool) -> None:
    effect = Effect((low + high) / 2, low, high)
    found = PairedEffects(effect, {"only": effect}, {"only": (effect.value,) * rounds})
    assert is_sure(found, OPTIONS) is sure


@pytest.mark.parametrize(("overall", "rank"), [((0.5, 0.41, 0.6), Rank.IMPROVED), ((-0.5, -0.6, -0.41), Rank.SLOWER)])
def test_a_sure_effect_is_judged_without_a_floor(overall: tuple[float, float, float], rank: Rank) -> None:
    assert judge(effects(overall), None, OPTIONS, NONE, final=False).rank is rank


def test_what_is_undecided_at_the_end_is_a_tie() -> None:
    assert judge(effects((0.01, -0.01, 0.03)), 0.001, OPTIONS, NONE, final=True).rank is Rank.TIE


def test_launch_bound_cases_alone_justify_nothing() -> None:
    found = effects((0.05, 0.04, 0.06), small=(0.1, 0.08, 0.12), large=(0.0, -0.001, 0.001))
    assert judge(found, 0.001, OPTIONS, frozenset({"small"}), final=True).rank is Rank.TIE
    assert judge(found, 0.001, OPTIONS, NONE, final=True).rank is Rank.IMPROVED
