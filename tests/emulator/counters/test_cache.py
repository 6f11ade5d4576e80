from hypothesis import given
from hypothesis import strategies as st

from warpwright.emulator.counters.cache import ATOMIC, BYPASS, FAR, L2, LOAD, NEAR, STORE, CacheSizes, TwoLevels

LINE, SECTOR = 128, 32


def feed(accesses: list[tuple[int, int]], l1_lines: int = 4, l2_lines: int = 16, granule: int = 64) -> TwoLevels:
    levels = TwoLevels(CacheSizes(l1_lines * LINE, l2_lines * LINE, granule), 1)
    levels.run([s for s, _ in accesses], [k for _, k in accesses], [0] * len(accesses), list(range(len(accesses))))
    levels.finish()
    return levels


def test_a_sector_is_missed_once_and_its_neighbour_again() -> None:
    levels = feed([(0, LOAD), (0, LOAD), (1, LOAD), (2, LOAD)])
    assert levels.counts.loads == 4
    assert levels.counts.l1_misses == 3
    assert levels.read_bytes == [128]  # sector 1 came with sector 0: the granule is two sectors


def test_the_least_recently_used_line_goes() -> None:
    lines = [0, 1, 2, 3, 0, 4, 0, 1]  # 1 is the oldest when 4 comes
    levels = feed([(4 * line, LOAD) for line in lines])
    assert levels.counts.l1_misses == 6


def test_bypass_and_atomics_do_not_use_l1() -> None:
    levels = feed([(0, LOAD), (0, BYPASS), (0, ATOMIC), (0, LOAD)])
    assert levels.counts.l1_misses == 2
    assert levels.counts.l2_accesses == 3


def test_stores_read_nothing_and_are_written_back_once() -> None:
    levels = feed([(s, STORE) for s in (0, 1, 2, 3, 0, 1)])
    assert levels.read_bytes == [0]
    assert levels.write_bytes == [128]


def test_a_lone_sector_costs_a_whole_granule() -> None:
    assert feed([(0, STORE)]).write_bytes == [64]
    assert feed([(0, LOAD)]).read_bytes == [64]


accesses = st.lists(st.tuples(st.integers(0, 200), st.sampled_from([LOAD, BYPASS, STORE, ATOMIC])), max_size=200)


@given(accesses)
def test_a_larger_cache_never_misses_more(stream: list[tuple[int, int]]) -> None:
    small, large = feed(stream, 4, 16), feed(stream, 8, 64)
    assert large.counts.l1_misses <= small.counts.l1_misses
    assert large.read_bytes[0] <= feed(stream, 4, 64).read_bytes[0] <= small.read_bytes[0] + 64 * len(stream)


@given(accesses)
def test_dram_moves_each_granule_at_least_once_and_no_more_than_was_asked(stream: list[tuple[int, int]]) -> None:
    levels = feed(stream)
    read = {s // 2 for s, kind in stream if kind in (LOAD, BYPASS, ATOMIC)} - {s // 2 for s, k in stream if k == STORE}
    assert 64 * len(read) <= levels.read_bytes[0] <= 64 * len(stream)
    dirty = {s // 2 for s, kind in stream if kind in (STORE, ATOMIC)}
    assert 64 * len(dirty) <= levels.write_bytes[0] <= 64 * len(stream)


def test_a_hit_on_what_is_still_on_its_way_waits_as_long() -> None:
    levels = TwoLevels(CacheSizes(4 * LINE, 16 * LINE, 64), 1)
    served = levels.run([0, 0, 0, 1, 1], [LOAD] * 5, [0] * 5, [5, 5, 6, 6, 6])
    assert served == [FAR, FAR, NEAR, L2, L2]
