import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.emulator.launch.sampling import linear, run_order, strata

sizes = st.integers(1, 40)


@given(sizes, sizes, sizes)
def test_strata_cover_the_grid_once(x: int, y: int, z: int) -> None:
    parts = strata((x, y, z), 16)
    assert sum(part.blocks for part in parts) == x * y * z
    chosen = [block for part in parts for block in part.sample]
    assert len(set(chosen)) == len(chosen)
    assert all(0 <= block < x * y * z for block in chosen)
    assert all(len(part.sample) <= part.blocks for part in parts)
    assert all(part.sample for part in parts)


@given(st.integers(4, 100_000))
def test_a_line_of_blocks_has_its_ends_apart(blocks: int) -> None:
    parts = strata((blocks, 1, 1), 16)
    assert {block for part in parts[1:] for block in part.sample} == {0, blocks - 1}


def test_interior_samples_are_spread() -> None:
    interior = strata((1000, 1000, 1), 64)[0].sample
    assert len(interior) == 64
    for low in range(0, 1000, 250):
        assert sum(low <= block % 1000 < low + 250 for block in interior) >= 10
        assert sum(low <= block // 1000 < low + 250 for block in interior) >= 10


def test_every_prefix_begins_inside_and_then_takes_each_border_once() -> None:
    parts = strata((100, 100, 1), 16)
    order = run_order(parts)
    assert [stratum for stratum, _ in order[:8]] == [0] * 8
    assert sorted(stratum for stratum, _ in order[8:16]) == list(range(1, 9))
    assert len(order) == sum(len(part.sample) for part in parts)


@pytest.mark.parametrize(("position", "number"), [((0, 0, 0), 0), ((2, 1, 0), 5), ((0, 0, 2), 12)], ids=str)
def test_linear_counts_x_fastest(position: tuple[int, int, int], number: int) -> None:
    assert linear((3, 2, 4), position) == number
