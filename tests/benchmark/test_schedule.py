"""Schedules: how many launches, whose values, in which order, and which of them are verified."""

import itertools
import random
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.benchmark.schedule import (
    CONTENDER,
    FULL,
    HELD_BACK,
    LEAST_COMPARED,
    PAIRED,
    PlannedBlock,
    ValueDraw,
    fitting,
    paired_rounds,
    plan_blocks,
    single_rounds,
)
from warpwright.device.measurement import Phase
from warpwright.workload.model import Case, CaseKind
from warpwright.workload.recipe import Recipe
from warpwright.workload.rotation import RotatingInput, Rotation

CASE = Case("rows", CaseKind.PERF, MappingProxyType({}), frozenset(), 1, MappingProxyType({}))
POOL = tuple(range(1000, 1008))
NORMAL = RotatingInput(Recipe("normal", "float32", 0.0, 1.0))


def draw(seed: int, *, pooled: int = 0) -> ValueDraw:
    """pooled: entries of a pool of host-made inputs; 0 = inputs made by recipe."""
    entries = tuple(np.full(2, number) for number in range(pooled))
    source = RotatingInput(None, entries) if pooled else NORMAL
    turns = Rotation(CASE, MappingProxyType({"x": source}), POOL[: pooled or None])
    return ValueDraw(turns, itertools.count(5000), random.Random(seed))


def single(seed: int) -> tuple[PlannedBlock, ...]:
    return plan_blocks(single_rounds(FULL), FULL, draw(seed))


@given(st.integers(0, 10**6))
def test_a_full_measurement_is_10_and_100(seed: int) -> None:
    blocks = single(seed)
    assert [(b.phase, b.round, len(b.seeds)) for b in blocks] == [
        (Phase.WARM_UP, None, 10),
        *[(Phase.MEASURED, number, 10) for number in range(10)],
    ]


@given(st.integers(0, 10**6))
def test_no_value_appears_twice_and_only_pool_seeds_are_verified(seed: int) -> None:
    blocks = single(seed)
    seeds = [s for block in blocks for s in block.seeds]
    assert len(set(seeds)) == len(seeds) == 110
    checked = [block.seeds[launch] for block in blocks for launch in block.checked]
    assert 6 <= len(checked) <= 7
    assert set(checked) == set(seeds) & set(POOL)


@given(st.integers(0, 10**6))
def test_the_last_launch_is_verified_and_warmups_are_not(seed: int) -> None:
    blocks = single(seed)
    assert 9 in blocks[-1].checked
    assert not blocks[0].checked


def test_positions_of_verified_launches_are_drawn_anew() -> None:
    drawn = {tuple(block.checked for block in single(seed)) for seed in range(20)}
    assert len(drawn) == 20


@given(st.integers(0, 10**6), st.integers(1, 20))
def test_each_side_comes_first_in_half_of_the_rounds(seed: int, rounds: int) -> None:
    order = paired_rounds(range(rounds), random.Random(seed))
    firsts = [sides[0] for _, sides in order]
    assert abs(2 * sum(firsts) - rounds) <= 1
    assert all(sorted(sides) == [0, 1] for _, sides in order)


@given(st.integers(0, 10**6))
def test_a_paired_measurement_gives_both_sides_the_same(seed: int) -> None:
    values = draw(seed)
    blocks = plan_blocks(paired_rounds(range(10), values.random), PAIRED, values)
    for side in (0, 1):
        own = [b for b in blocks if b.side == side]
        assert [len(b.seeds) for b in own] == [10] * 11
        assert own[0].phase is Phase.WARM_UP
    assert all(block.side == CONTENDER for block in blocks if block.checked)
    seeds = [s for block in blocks for s in block.seeds]
    assert len(set(seeds)) == 220


def test_host_made_inputs_repeat_as_late_as_their_pool_allows() -> None:
    blocks = plan_blocks(single_rounds(FULL), FULL, draw(1, pooled=8))
    turning = set(blocks[0].seeds)
    assert len(turning) == 8 - HELD_BACK
    for block in blocks:
        met = [seed for launch, seed in enumerate(block.seeds) if launch not in block.unmet]
        assert set(met) <= turning
        if not block.checked:
            assert len(set(block.seeds[:5])) == 5
    assert sum(len(block.checked) for block in blocks) >= 6


def test_values_that_are_held_back_come_once_under_the_clock_and_are_compared() -> None:
    blocks = plan_blocks(single_rounds(FULL), FULL, draw(1, pooled=8))
    new = [block.seeds[launch] for block in blocks for launch in block.unmet]
    every = [seed for block in blocks for seed in block.seeds]
    assert len(new) == HELD_BACK
    assert all(every.count(seed) == 1 for seed in new)
    assert all(block.unmet <= block.checked for block in blocks)
    assert not blocks[0].unmet


def test_a_schedule_holds_back_what_it_is_told() -> None:
    values = draw(1, pooled=8)
    values.hold_back(POOL[:5])
    blocks = plan_blocks(single_rounds(FULL), FULL, values)
    assert {block.seeds[launch] for block in blocks for launch in block.unmet} <= set(POOL[:5])


@pytest.mark.parametrize("pooled", [0, 1, 5])
def test_nothing_is_held_back_of_few_values_or_of_values_that_never_repeat(pooled: int) -> None:
    blocks = plan_blocks(single_rounds(FULL), FULL, draw(1, pooled=pooled))
    assert not any(block.unmet for block in blocks)


def test_seeds_that_were_verified_are_never_given_again() -> None:
    values = draw(3)
    first = plan_blocks(single_rounds(FULL), FULL, values)
    again = plan_blocks(single_rounds(FULL), FULL, values)
    used = [block.seeds[launch] for block in (*first, *again) for launch in block.checked]
    assert len(set(used)) == len(used) <= len(POOL)
    everything = [s for block in (*first, *again) for s in block.seeds]
    assert len(set(everything)) == len(everything)


def test_a_block_as_the_device_takes_it() -> None:
    values = draw(3)
    block = plan_blocks(single_rounds(FULL), FULL, values)[-1]
    scheduled = block.scheduled(values.rotation)
    assert [launch.keep for launch in scheduled.launches] == [n in block.checked for n in range(10)]
    assert scheduled.launches[0].values == values.rotation.values(block.seeds[0])


@given(st.integers(0, 10**6))
def test_the_last_launch_is_verified_however_few_seeds_are_left(seed: int) -> None:
    """Tainted rounds are taken again with what the first schedule left of the pool."""
    values = draw(seed)
    for _ in range(3):
        blocks = plan_blocks(single_rounds(FULL), FULL, values)
        assert 9 in blocks[-1].checked


@given(st.floats(1e-6, 10.0), st.floats(0.1, 40.0), st.sampled_from([1, 3]))
def test_as_many_rounds_as_fit(unit_s: float, budget_s: float, least_rounds: int) -> None:
    planned = fitting(FULL, unit_s, budget_s, least_rounds)
    launches, most = planned.warmups + planned.measured, int(budget_s / unit_s)
    assert planned.short == (most < 110)
    if most > LEAST_COMPARED + least_rounds:
        assert launches <= most
    assert planned.rounds >= least_rounds
    assert planned.warmups >= 1
    assert planned.measured > LEAST_COMPARED, "fewer could not all be compared"
    if planned.rounds > least_rounds:
        assert launches + planned.launches > min(most, 109), "another round would not have fitted"
