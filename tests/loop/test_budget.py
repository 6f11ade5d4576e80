import math

import pytest

from warpwright.loop.budget import Budget


def budget(attempts: int | None = None, time_limit_s: float | None = None, spent_s: float = 0.0) -> Budget:
    return Budget(attempts=attempts, time_limit_s=time_limit_s, patience=4, max_repairs=2, spent_s=spent_s)


def test_no_cap_never_stops_while_the_incumbent_is_fresh() -> None:
    assert budget().exhausted(attempts=1000, incumbent=998) is None


def test_the_attempt_cap_counts_every_attempt() -> None:
    assert budget(attempts=3).exhausted(attempts=2, incumbent=1) is None
    assert budget(attempts=3).exhausted(attempts=3, incumbent=3) == "budget: 3 of 3 attempts used"


def test_time_spent_by_earlier_processes_counts() -> None:
    assert budget(time_limit_s=60, spent_s=61).exhausted(1, 1) == "budget: time limit of 60.0 s reached"
    assert budget(time_limit_s=60, spent_s=10).exhausted(1, 1) is None


def test_patience_counts_from_the_last_incumbent() -> None:
    assert budget().exhausted(attempts=7, incumbent=4) is None
    assert budget().exhausted(attempts=8, incumbent=4) == "no gain in 4 attempts"


def test_patience_waits_for_a_first_incumbent() -> None:
    assert budget().exhausted(attempts=50, incumbent=0) is None


def test_a_share_is_one_of_the_time_that_is_left() -> None:
    assert budget(time_limit_s=100, spent_s=20).share_ends_s(0.25) == pytest.approx(40, abs=0.5)
    assert budget(time_limit_s=100, spent_s=120).share_ends_s(0.25) == pytest.approx(120, abs=0.5)
    assert budget().share_ends_s(0.25) == math.inf
