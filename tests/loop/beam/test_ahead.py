"""What is kept of candidates that were examined before their turn."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from warpwright.candidate.candidate import Candidate, Launch, LaunchPlan
from warpwright.errors import InfrastructureError
from warpwright.evaluation.course import Course, Examined
from warpwright.loop.beam.ahead import Ahead

CANDIDATE = Candidate("", LaunchPlan((Launch("f", ("1",), ("32",)),)))


def slow(seconds: float) -> Examined:
    time.sleep(seconds)
    return Examined(Course(CANDIDATE, (), seconds={"verify": seconds}), None, timed=True)


def test_what_was_found_is_taken_once_and_shares_the_wall_time() -> None:
    ahead = Ahead()
    with ThreadPoolExecutor(4) as pool:
        for number in range(2, 6):
            pool.submit(ahead.examine, number, lambda: slow(0.2))
    found = [ahead.take(number) for number in range(2, 6)]
    shares = [each.share_s for each in found if each is not None]
    assert len(shares) == 4
    assert shares[0] == pytest.approx(shares[3])
    assert 0.04 < shares[0] < 0.15, "four together took the wall time of one or two"
    assert ahead.take(2) is None


def test_a_step_does_not_share_the_time_of_the_step_before() -> None:
    ahead = Ahead()
    ahead.examine(2, lambda: slow(0.1))
    assert ahead.take(2) is not None
    time.sleep(0.3)
    ahead.examine(3, lambda: slow(0.01))
    found = ahead.take(3)
    assert found is not None
    assert found.share_s < 0.1
    assert found.spent_s == 0.01


def test_an_examination_that_fails_leaves_nothing() -> None:
    ahead = Ahead()

    def failing() -> Examined:
        raise InfrastructureError("gone")

    with pytest.raises(InfrastructureError):
        ahead.examine(2, failing)
    assert ahead.take(2) is None
