"""Whether a contender beats the incumbent by estimates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.benchmark.decision import Rank, decide
from warpwright.device.protocol import TimeSource, Timing


def timing(us: float, source: TimeSource = TimeSource.ESTIMATED, uncertainty: float = 0.15) -> Timing:
    return Timing(source, "NVIDIA H200", (us,), us, uncertainty)


def timings(*times_us: float) -> dict[str, Timing]:
    return {f"c{index}": timing(us) for index, us in enumerate(times_us)}


DECISIONS = {
    "twice as fast": (
        (10.0,),
        (5.0,),
        Rank.IMPROVED,
        "improved: predicted 2.00x, beyond the estimate's uncertainty of 15%",
    ),
    "10 % faster": ((11.0,), (10.0,), Rank.TIE, "tie: predicted 1.10x is within the estimate's uncertainty of 15%"),
    "equal": ((10.0,), (10.0,), Rank.TIE, "tie: predicted 1.00x is within the estimate's uncertainty of 15%"),
    "exactly the uncertainty": (
        (1.15,),
        (1.0,),
        Rank.TIE,
        "tie: predicted 1.15x is within the estimate's uncertainty of 15%",
    ),
    "twice as slow": (
        (5.0,),
        (10.0,),
        Rank.SLOWER,
        "slower: predicted 2.00x slower, beyond the estimate's uncertainty of 15%",
    ),
    "one case ruined": (
        (10.0, 10.0),
        (1.0, 13.0),
        Rank.TIE,
        "tie: predicted 2.77x overall, but case c1 is 1.30x slower",
    ),
    "one case a little slower": (
        (10.0, 10.0),
        (5.0, 11.0),
        Rank.IMPROVED,
        "improved: predicted 1.35x, beyond the estimate's uncertainty of 15%",
    ),
}


@pytest.mark.parametrize(("old", "new", "rank", "message"), DECISIONS.values(), ids=DECISIONS)
def test_decision(old: tuple[float, ...], new: tuple[float, ...], rank: Rank, message: str) -> None:
    decision = decide(timings(*old), timings(*new))
    assert (decision.rank, decision.message) == (rank, message)


@given(st.lists(st.tuples(st.floats(1, 1e4), st.floats(1, 1e4)), min_size=1, max_size=5))
def test_two_candidates_never_both_beat_each_other(pairs: list[tuple[float, float]]) -> None:
    old, new = timings(*(a for a, _ in pairs)), timings(*(b for _, b in pairs))
    ranks = {decide(old, new).rank, decide(new, old).rank}
    assert ranks != {Rank.IMPROVED}
    assert ranks != {Rank.SLOWER}


def test_the_wider_uncertainty_counts() -> None:
    wide = {"c0": timing(10.0, uncertainty=0.5)}
    assert decide(wide, timings(7.0)).rank is Rank.TIE
    assert decide(wide, timings(6.0)).rank is Rank.IMPROVED


def test_estimates_and_measurements_never_meet() -> None:
    with pytest.raises(ValueError, match=r"estimated and measured times are never compared with each other"):
        decide(timings(1.0), {"c0": timing(1.0, TimeSource.MEASURED)})


def test_measured_times_need_a_paired_run() -> None:
    measured = {"c0": timing(1.0, TimeSource.MEASURED)}
    with pytest.raises(ValueError, match="measured times of separate runs are never compared"):
        decide(measured, measured)
