"""Seeds from a secret."""

from itertools import islice
from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from warpwright.verifier.seeds import POOL_SIZE, VERIFICATION_POOL_SIZE, SeedPool
from warpwright.workload.model import Case, CaseKind, DeviceKind

CASE = Case("ragged", CaseKind.CHECK, MappingProxyType({"n": 3}), frozenset(DeviceKind), 42, MappingProxyType({}))


@given(st.text(), st.text(), st.integers(1, VERIFICATION_POOL_SIZE + 3))
def test_the_cases_own_seed_comes_first_and_none_twice(secret: str, identity: str, count: int) -> None:
    seeds = SeedPool(secret).draw(CASE, identity, count)
    assert seeds[0] == 42
    assert len(set(seeds)) == len(seeds) == min(count, VERIFICATION_POOL_SIZE + 1)


def test_the_same_secret_gives_the_same_seeds_and_another_does_not() -> None:
    assert SeedPool("a").draw(CASE, "id", 4) == SeedPool("a").draw(CASE, "id", 4)
    assert not set(SeedPool("a").draw(CASE, "id", 4)[1:]) & set(SeedPool("b").draw(CASE, "id", 4)[1:])


def test_attempts_draw_from_a_pool_that_the_oracle_can_keep() -> None:
    drawn = {seed for index in range(50) for seed in SeedPool("a").draw(CASE, str(index), 3)}
    assert drawn == {CASE.seed, *SeedPool("a").verification_pool(CASE)}
    assert len(drawn) == VERIFICATION_POOL_SIZE + 1


@given(st.text(), st.text())
def test_no_attempt_is_verified_with_a_seed_of_the_clock(secret: str, identity: str) -> None:
    pool = SeedPool(secret)
    assert len(set(pool.clock_pool(CASE))) == POOL_SIZE
    assert not set(pool.clock_pool(CASE)) & set(pool.draw(CASE, identity, 20))


def test_fresh_seeds_were_never_in_the_pool() -> None:
    pool = SeedPool("a")
    drawn = {seed for index in range(50) for seed in pool.draw(CASE, str(index), 5)}
    fresh = pool.fresh(CASE, "final", 10)
    assert len(set(fresh)) == 10
    assert not drawn & set(fresh)
    assert not set(fresh) & set(pool.fresh(CASE, "promotion", 10))


def test_a_stream_has_no_end_and_no_seed_twice() -> None:
    pool = SeedPool("a")
    streamed = list(islice(pool.stream(CASE, "attempt 1"), 1000))
    assert len(set(streamed)) == 1000
    others = {
        *pool.clock_pool(CASE),
        *pool.verification_pool(CASE),
        *pool.fresh(CASE, "attempt 1", 10),
        *islice(pool.stream(CASE, "attempt 2"), 1000),
    }
    assert not others & set(streamed)
    assert streamed == list(islice(SeedPool("a").stream(CASE, "attempt 1"), 1000))
    assert not set(streamed) & set(islice(SeedPool("b").stream(CASE, "attempt 1"), 1000))
